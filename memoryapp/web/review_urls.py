"""The addresses of the review, and of a conversation's rule: ids and fixed words only."""

from __future__ import annotations

from django.urls import path

from memoryapp.web.views.learning import conversation_learning
from memoryapp.web.views.review import (
    fact_approve,
    fact_never,
    fact_reject,
    review,
    review_all,
    wish_dismiss,
)

urlpatterns = [
    path("review/", review, name="review"),
    path("review/all/", review_all, name="review_all"),
    path("memories/<uuid:fact_id>/approve/", fact_approve, name="fact_approve"),
    path("memories/<uuid:fact_id>/reject/", fact_reject, name="fact_reject"),
    path("memories/<uuid:fact_id>/never/", fact_never, name="fact_never"),
    path(
        "conversations/<uuid:conversation_id>/learning/",
        conversation_learning,
        name="conversation_learning",
    ),
    path("wishes/<uuid:request_id>/dismiss/", wish_dismiss, name="wish_dismiss"),
]
