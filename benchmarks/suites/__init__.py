"""Suites that come as a file of tasks: HumanEval, HumanEval-X, MBPP, HumanEval+ and MBPP+.

Their files are not part of this project: a loader takes a path, or finds the file in an installed package.
"""
