"""Results that can be compared exactly need no model: the stub judges these by their numbers."""

from shop import price_after_discount

from ci_judge import case


@case("A 20 percent discount on 100 should produce a final price of 80.")
def test_discount():
    return {"actual": price_after_discount(100, percent=20), "expected": 80}


@case("A discount of 150 percent must never produce a negative price; the price is then 0.")
def test_discount_beyond_the_price():
    # Broken on purpose: the shop forgets the lower limit.
    return {"actual": price_after_discount(100, percent=150), "expected": 0}
