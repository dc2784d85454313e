"""A reply whose right wording nobody can write down in advance: it is judged by its meaning."""

import asyncio

from shop import support_reply

from ci_judge import case


@case(
    'The reply is polite, names the "14 days" window and says who pays the return.',
    tags=["refunds"],
)
async def test_refund_reply():
    question = "I want my money back on a jumper that does not fit."
    reply = await asyncio.to_thread(support_reply, question)
    return {"input": question, "actual": reply}
