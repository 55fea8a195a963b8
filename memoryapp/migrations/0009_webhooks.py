import django.contrib.postgres.fields
import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from memoryapp.sql import load


def key():
    return models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)


def user():
    return models.ForeignKey(
        db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING,
        related_name='+', to=settings.AUTH_USER_MODEL,
    )


STATE = [
    migrations.CreateModel(
        name='MemoryEvent',
        fields=[
            ('id', key()),
            ('seq', models.BigIntegerField()),
            ('type', models.CharField(choices=[('memory.created', 'Created'), ('memory.updated', 'Updated'), ('memory.erased', 'Erased'), ('review.waiting', 'Waiting'), ('import.finished', 'Imported'), ('conversation.read', 'Read')], max_length=40)),
            ('data', models.JSONField()),
            ('at', models.DateTimeField()),
            ('user', user()),
        ],
    ),
    migrations.CreateModel(
        name='WebhookEndpoint',
        fields=[
            ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
            ('url', models.CharField(max_length=2000, verbose_name='address')),
            ('description', models.CharField(blank=True, default='', max_length=200, verbose_name='description')),
            ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), blank=True, default=list, verbose_name='events')),
            ('salt', models.BinaryField()),
            ('check_hash', models.BinaryField()),
            ('previous_salt', models.BinaryField(null=True)),
            ('previous_until', models.DateTimeField(blank=True, null=True)),
            ('created_at', models.DateTimeField(verbose_name='created')),
            ('disabled_at', models.DateTimeField(blank=True, null=True, verbose_name='disabled')),
            ('disabled_reason', models.CharField(blank=True, default='', max_length=20, verbose_name='why')),
            ('failing_since', models.DateTimeField(blank=True, null=True, verbose_name='failing since')),
            ('last_success_at', models.DateTimeField(blank=True, null=True, verbose_name='last success')),
            ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='accounts.application', verbose_name='application')),
        ],
        options={'verbose_name': 'webhook', 'verbose_name_plural': 'webhooks', 'ordering': ['-id']},
    ),
    migrations.CreateModel(
        name='WebhookDelivery',
        fields=[
            ('id', key()),
            ('endpoint', models.UUIDField()),
            ('state', models.CharField(choices=[('pending', 'Pending'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='pending', max_length=10)),
            ('created_at', models.DateTimeField()),
            ('not_before', models.DateTimeField()),
            ('claimed_until', models.DateTimeField(blank=True, null=True)),
            ('attempts', models.PositiveIntegerField(default=0)),
            ('ended_at', models.DateTimeField(blank=True, null=True)),
            ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
            ('error', models.CharField(blank=True, default='', max_length=40)),
            ('log', models.JSONField(blank=True, default=list)),
            ('user', user()),
            ('event', models.ForeignKey(
                db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING,
                related_name='deliveries', to='memoryapp.memoryevent',
            )),
        ],
        options={'verbose_name_plural': 'webhook deliveries'},
    ),
]


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0002_application_access"),
        ("memoryapp", "0008_retrieval"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([load("webhooks").replace("{app}", settings.DATABASE_APP_ROLE)])
            ],
            state_operations=STATE,
        )
    ]
