"""Systems: complete search algorithms, one file each, readable beside their papers.

A system is an async function of a run, a language and its own settings. It learns of the world through the run's two
effects alone, so that it is deterministic given their answers.
"""
