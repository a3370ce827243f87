"""The warm process that answers questions: requests and answers, and the models it holds."""
