async def totals(orders):
    """The sum of each customer's orders."""
    sums = {}
    for order in orders:
        sums[order["customer"]] = sums.get(order["customer"], 0) + order["amount"]
    return sums
