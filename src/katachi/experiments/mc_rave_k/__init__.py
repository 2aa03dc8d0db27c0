"""How long MC-RAVE trusts RAVE values: k."""
