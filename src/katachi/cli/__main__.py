"""`python -m katachi.cli`."""

from katachi.cli import main

main()
