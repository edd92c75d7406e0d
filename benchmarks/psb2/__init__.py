"""PSB2: the second program synthesis benchmark suite.

Thomas Helmuth and Peter Kelly, "PSB2: The Second Program Synthesis Benchmark Suite", GECCO 2021
(doi:10.1145/3449639.3459285). What the inputs are (edge inputs, ranges, how random ones are drawn), the error
functions and their penalties are facts from the authors' data sets (version 1.0.1, doi:10.5281/zenodo.5084812) and
their reference implementation, Clojush. Descriptions, generators and solutions are this project's own; descriptions
agree with the data, also where the published text does not.
"""
