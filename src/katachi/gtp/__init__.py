"""GTP, the Go Text Protocol: `protocol` is the text, `session` the game behind it, `commands` what can be asked,
`server` the loop over the streams.

A player that drives somebody else's engine stands on `protocol` alone (katachi.players.gtp_engine).
"""
