"""The time words of each language: tables alone, no logic.

A language is a mapping from a symbol and its value to the words that say it. The
symbols are those that the rules in ``memoryapp.timewords.rules`` are written in:

=========  =============================================================
``M``      a month, 1 to 12 (``!`` before a word: a month only when led by a word that
           makes it one, as "may" and "mars" do)
``D``      a weekday, 0 (Monday) to 6; ``w`` the same as a habit ("Mondays")
``N O``    a number, an ordinal
``U``      a unit: second, minute, hour, day, week, weekend, month, quarter, year …
``S T``    a season, a part of the day (from hour to hour)
``R``      a day counted from today; ``n`` now
``X``      last (-1), this (0), next (1), the one after that (2)
``A q``    ago: behind the amount, before it; ``L I`` later, in: likewise
``F Z B &``  from, to, between, and
``G V W``  since, before, after
``E v``    every; daily, weekly …
``9``      at, only of a clock: "a las"
``o a k``  words of no meaning of their own, at, o'clock
``h``      until (or to, at the end of a range)
``5``      coming: of weekdays, the first to come
``0``      earlier or later in a period
``e``      early, middle, late
``y``      a holiday with a fixed day (month, day)
``j m b``  year, month, day as signs behind a number
=========  =============================================================
"""
