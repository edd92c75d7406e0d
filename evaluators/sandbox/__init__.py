"""The sandbox: what stands between a candidate program and the machine.

Outside runs :mod:`~evaluators.sandbox.client`, which starts a sandbox and talks to it. Inside runs
:mod:`~evaluators.sandbox.supervisor`, a small trusted process that forks a child for each thing to do, bounds it,
watches its clock and reports what the kernel says of its end. The modules used inside import the standard library
alone, since nothing else exists there.
"""
