"""Speed benchmarks: they measure the whole, may import any floor, and nothing imports them."""
