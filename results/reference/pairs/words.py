# A dictionary that does not fit into a cache, changed in an order that no prefetcher knows.
counts = {}
for i in range(900000):
    counts[i * 7919 % 300007] = i
