"""Judging: anybody's samples on a suite's official tests, as the suites' own harnesses do it, in a sandbox.

A sample is a text for one task of a suite, as some other program has written it to a file. A verdict says whether the
program that it stands for passes the official tests, and where it fails first.
"""
