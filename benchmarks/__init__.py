"""benchmarks: the problems that come with the project, and problem files of the user's own.

A suite's problem is a generator of cases, so that any number of visible ones can be drawn for a search, and hidden
ones for the judge.
"""
