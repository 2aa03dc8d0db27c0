"""Bootstrapping in TD search: lambda, with both kinds of traces."""
