"""Questions: what is asked, and what was answered.

question   what a question is, and what makes a set of them usable
first_set  the questions themselves, version 1
answer     an answer and a wish, checked against their question
packed     the scored answers of a user in one narrow row
responses  answers are stored; how far the questionnaire is
"""
