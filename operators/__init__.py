"""Operators: what makes a new individual.

An operator takes a problem and the genomes it starts from, asks a model through the effects of one place in the
search, and returns a genome with its provenance. It knows no run and no population. Import from the modules.
"""
