-- Evaluation: each question's lexemes, and ts_rank of each text for any of them.
WITH said AS MATERIALIZED (
    SELECT place, memoryapp_terms(text) AS words
    FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS given (text, place)
),
asked AS MATERIALIZED (
    SELECT
        given.place,
        terms.lexemes,
        (
            SELECT string_agg(
                '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | '
            )::tsquery
            FROM unnest(terms.lexemes) AS lexeme
        ) AS any_word
    FROM unnest(%(questions)s::text[]) WITH ORDINALITY AS given (text, place)
    CROSS JOIN LATERAL (SELECT tsvector_to_array(memoryapp_terms(given.text)) AS lexemes) AS terms
)
SELECT asked.lexemes, array_agg(coalesce(ts_rank(said.words, asked.any_word), 0) ORDER BY said.place)
FROM asked
CROSS JOIN said
GROUP BY asked.place, asked.lexemes
ORDER BY asked.place
