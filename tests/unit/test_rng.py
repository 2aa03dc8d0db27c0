"""The generator against its definition, and the promises of split and below."""

from collections import Counter

import pytest
from scipy.stats import chisquare, kstest, norm

from katachi import InvalidArgumentError, Rng

MASK = 2**64 - 1


def splitmix64(seed: int) -> list[int]:
    """Four outputs of SplitMix64, from its definition."""
    words = []
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        words.append(z ^ (z >> 31))
    return words


def xoshiro256pp(state: list[int], count: int) -> list[int]:
    """Outputs of xoshiro256++, from its definition."""

    def rotl(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & MASK

    s = list(state)
    out = []
    for _ in range(count):
        out.append((rotl((s[0] + s[3]) & MASK, 23) + s[0]) & MASK)
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
    return out


def test_splitmix_known_answer() -> None:
    # The published first output for seed 0.
    assert splitmix64(0)[0] == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("seed", [0, 1, 42, MASK])
def test_generator_follows_its_definition(seed: int) -> None:
    rng = Rng(seed)
    assert list(rng.state) == splitmix64(seed)
    assert [rng.next() for _ in range(100)] == xoshiro256pp(splitmix64(seed), 100)


def test_state_round_trip() -> None:
    rng = Rng(5)
    rng.next()
    copy = Rng.from_state(rng.state)
    assert copy == rng
    assert [copy.next() for _ in range(5)] == [rng.next() for _ in range(5)]
    assert copy != Rng(6)
    assert copy != "not a generator"


def test_split_depends_on_name_index_and_state_but_not_on_order() -> None:
    rng = Rng(9)
    a, b = rng.split("a"), rng.split("b")
    assert rng == Rng(9)
    assert rng.split("b") == b
    assert rng.split("a") == a
    distinct = [a, b, rng.split("a", 1), rng.split("a", 2), Rng(10).split("a"), a.split("a")]
    assert len({tuple(r.state) for r in distinct}) == len(distinct)


def test_splits_are_uncorrelated() -> None:
    # The first draw of 20,000 numbered streams is as uniform as one stream would be.
    rng = Rng(3)
    counts = Counter(rng.split("stream", i).below(10) for i in range(20_000))
    assert chisquare([counts[i] for i in range(10)]).pvalue > 1e-4


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 81, 1000])
def test_below_is_uniform(bound: int) -> None:
    rng = Rng(11)
    counts = Counter(rng.below(bound) for _ in range(200 * bound))
    assert set(counts) <= set(range(bound))
    if bound > 1:
        assert chisquare([counts[i] for i in range(bound)]).pvalue > 1e-4


def test_below_is_exact_where_multiply_shift_alone_is_biased() -> None:
    # With bound 3 * 2**30 every third value would come up twice as often without the rejection step.
    rng = Rng(12)
    bound = 3 * 2**30
    residues = Counter(rng.below(bound) % 3 for _ in range(30_000))
    assert chisquare([residues[i] for i in range(3)]).pvalue > 1e-4


@pytest.mark.parametrize("bound", [0, -1, 2**32])
def test_below_refuses(bound: int) -> None:
    with pytest.raises(InvalidArgumentError, match=str(bound)):
        Rng(0).below(bound)


def test_uniform_stays_in_range() -> None:
    rng = Rng(4)
    draws = [rng.uniform() for _ in range(10_000)]
    assert 0 <= min(draws) < 0.001
    assert 0.999 < max(draws) < 1


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_are_checked(seed: int) -> None:
    with pytest.raises(InvalidArgumentError, match=str(seed)):
        Rng(seed)


def test_the_state_of_all_zeros_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="all zeros"):
        Rng.from_state([0, 0, 0, 0])


def test_choice() -> None:
    rng = Rng(1)
    assert {rng.choice("abc") for _ in range(50)} == set("abc")
    with pytest.raises(InvalidArgumentError, match="at least one"):
        rng.choice([])
    with pytest.raises(TypeError, match="unhashable"):
        hash(rng)


def test_normal_numbers_are_normal() -> None:
    rng = Rng(5)
    draws = [rng.normal() for _ in range(400_000)]
    assert kstest(draws, "norm").pvalue > 1e-4
    # The tail behind the last layer of the method, 3.654, has a rule of its own.
    for edge in (3.0, 3.6541528853610088, 4.0):
        for sign in (-1, 1):
            expected = len(draws) * norm.sf(edge)
            assert abs(sum(sign * x > edge for x in draws) - expected) < 5 * expected**0.5 + 1
