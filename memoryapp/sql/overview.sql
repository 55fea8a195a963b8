-- The overview of one user: which facts it shows, in which part of a life, and how many there
-- are, so that ten thousand stay quick: only what is shown is ever fetched.
--
-- part_of: each attribute's part of a life, told once an attribute and not once a memory
-- chosen:  what the filters leave, with the part of life that it belongs to: its place among
--          the parts, from 1 on, since numbers are sorted much faster than words
-- listed:  the same in the parts that are shown, of what orders them no more than is asked for;
--          in a list that isn't parted there is one part, 0
WITH found AS MATERIALIZED (
    -- What the search found by meaning, the closest first.
    SELECT id, place FROM unnest(%(first)s::uuid[]) WITH ORDINALITY AS hit (id, place)
),
part_of AS MATERIALIZED (
    SELECT key, array_position(%(parts)s::text[], "group") AS part FROM memoryapp_attribute
),
chosen AS (
    SELECT
        f.id, f.pinned, f.recorded_at, f.confidence, f.value_key, found.place, u.recall_count,
        -- As web.wording.group_of.
        coalesce(
            CASE WHEN f.subject <> 'user' THEN array_position(%(parts)s::text[], 'people') END,
            a.part,
            array_position(%(parts)s::text[], coalesce(%(of_kind)s::jsonb ->> f.kind, 'about'))
        ) AS part
    FROM memoryapp_fact f
    LEFT JOIN part_of a ON a.key = f.attribute
    LEFT JOIN memoryapp_factusage u ON u.user_id = %(user_id)s::uuid AND u.fact_id = f.id
    LEFT JOIN found ON found.id = f.id
    WHERE f.user_id = %(user_id)s::uuid
        AND f.operation = 'state'
        AND CASE
            WHEN %(as_of)s::timestamptz IS NULL THEN f.status = ANY (%(statuses)s::text[])
            -- What was so then, as is known today.
            WHEN NOT %(told)s THEN
                f.status IN ('current', 'superseded', 'retracted', 'expired', 'archived')
                AND f.retired_at IS NULL
                AND f.valid_from <= %(as_of)s::timestamptz
                AND (f.valid_to IS NULL OR f.valid_to > %(as_of)s::timestamptz)
            -- What I had been told by then: later endings and corrections aren't known yet.
            ELSE
                f.status IN ('current', 'superseded', 'retracted', 'expired', 'archived')
                AND f.recorded_at <= %(as_of)s::timestamptz
                AND (f.retired_at IS NULL OR f.retired_at > %(as_of)s::timestamptz)
                AND f.valid_from <= %(as_of)s::timestamptz
                AND (f.valid_to IS NULL OR f.closed_at > %(as_of)s::timestamptz
                    OR f.valid_to > %(as_of)s::timestamptz)
        END
        AND (%(scope)s::text IS NULL OR f.scope = %(scope)s::text)
        AND (%(subject)s::text IS NULL OR f.subject = %(subject)s::text)
        AND (NOT %(pinned)s OR f.pinned)
        AND (NOT %(delicate)s OR f.sensitivity <> '')
        AND (%(unused_since)s::timestamptz IS NULL
            OR (f.recorded_at < %(unused_since)s::timestamptz
                AND coalesce(u.last_recalled_at, '-infinity') < %(unused_since)s::timestamptz))
        AND (%(source)s::text IS NULL OR EXISTS (
            SELECT FROM memoryapp_evidence e
            WHERE e.user_id = %(user_id)s::uuid AND e.fact_id = f.id
                AND e.source = %(source)s::text))
        AND (%(application)s::uuid IS NULL OR EXISTS (
            SELECT FROM memoryapp_evidence e
            JOIN memoryapp_conversation c
                ON c.user_id = %(user_id)s::uuid AND c.id = e.conversation_id
            WHERE e.user_id = %(user_id)s::uuid AND e.fact_id = f.id
                AND c.application_id = %(application)s::uuid))
        -- A search finds by meaning, and by words that are still being typed.
        AND (%(words)s::text[] IS NULL OR found.place IS NOT NULL
            OR f.statement || ' ' || f.value || ' ' || f.subject ILIKE ALL (%(words)s::text[]))
),
listed AS MATERIALIZED (
    SELECT
        id, pinned, recorded_at, place,
        CASE WHEN %(sort)s = 'used' THEN coalesce(recall_count, 0) END AS used,
        CASE WHEN %(sort)s = 'surest' THEN confidence END AS confidence,
        CASE WHEN %(sort)s = 'alphabet' THEN value_key END AS word,
        CASE WHEN %(parted)s THEN part ELSE 0 END AS part
    FROM chosen
    WHERE %(part)s = '' OR part = array_position(%(parts)s::text[], %(part)s)
),
totals AS (
    SELECT part, count(*) AS total FROM listed GROUP BY part
    -- As many as there can be, so that the planner expects no more, and compiles nothing.
    LIMIT cardinality(%(parts)s::text[]) + 1
)
-- The first of each part, rather than a number for every memory: only so many are ever in
-- order, instead of all.
SELECT t.part, t.total, ARRAY (
    SELECT l.id
    FROM listed l
    WHERE l.part = t.part
    ORDER BY
        l.place NULLS LAST,
        l.pinned DESC,
        CASE WHEN %(sort)s = 'oldest' THEN l.recorded_at END,
        l.used DESC,
        l.confidence DESC,
        l.word,
        l.recorded_at DESC,
        l.id DESC
    LIMIT %(most)s OFFSET %(skip)s
) AS ids
FROM totals t
ORDER BY t.part
