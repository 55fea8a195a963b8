"""The addresses of forgetting: ids and dates only, never a word of the user's."""

from __future__ import annotations

from django.urls import path

from memoryapp.web.views.forgetting import conversation_forget, fact_forget, forgetting
from memoryapp.web.views.forgetting_more import (
    forget_account,
    forget_application,
    forget_dates,
    forget_everything,
    forget_somebody,
    forget_topic,
)
from memoryapp.web.views.receipts import receipt, receipts

urlpatterns = [
    path("forget/", forgetting, name="forgetting"),
    # Where facts that are chosen elsewhere are sent.
    path("forget/", forgetting, name="forget"),
    path("forget/topic/", forget_topic, name="forget_topic"),
    path("forget/somebody/", forget_somebody, name="forget_somebody"),
    path("forget/dates/", forget_dates, name="forget_dates"),
    path("forget/apps/<uuid:application_id>/", forget_application, name="forget_application"),
    path("forget/everything/", forget_everything, name="forget_everything"),
    path("forget/account/", forget_account, name="forget_account"),
    path("memories/<uuid:fact_id>/forget/", fact_forget, name="fact_forget"),
    path(
        "conversations/<uuid:conversation_id>/forget/",
        conversation_forget,
        name="conversation_forget",
    ),
    path("receipts/", receipts, name="receipts"),
    path("receipts/<uuid:receipt_id>/", receipt, name="receipt"),
]
