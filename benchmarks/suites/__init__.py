"""Suites that come as a file of tasks: HumanEval and MBPP with their relatives, CodeContests, APPS, CoderEval, DevEval.

Their files are not part of this project: :func:`~benchmarks.suites.catalog.load_suite` takes a path, finds the file in
an installed package, or downloads it.
"""
