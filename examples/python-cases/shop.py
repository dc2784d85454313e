"""The application under test: a price rule and a support reply."""


def price_after_discount(price: float, *, percent: float) -> float:
    """Return the price less a discount. The flaw: nothing stops it at zero."""
    return price * (1 - percent / 100)


def support_reply(question: str) -> str:
    """Answer a customer who wants a refund."""
    topic = "your jumper" if "jumper" in question else "your order"
    return (
        f"I am sorry that {topic} is not what you hoped for. You have 14 days from delivery to "
        "send it back, we pay the return, and you get the full price."
    )
