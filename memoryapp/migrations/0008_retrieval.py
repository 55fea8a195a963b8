import django.db.models.deletion
import pgvector.django.halfvec
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


def link(to, related_name):
    return models.ForeignKey(
        db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING,
        related_name=related_name, to=to,
    )


STATE = [
    migrations.AddField(
        'message', 'excerpt',
        models.CharField(choices=[('new', 'New'), ('yes', 'Yes'), ('no', 'No')], default='new', max_length=4),
    ),
    migrations.CreateModel(
        name='MessageEmbedding',
        fields=[
            ('id', key()),
            ('model', models.CharField(max_length=120)),
            ('dimension', models.PositiveIntegerField()),
            ('embedding', pgvector.django.halfvec.HalfVectorField()),
            ('message', link('memoryapp.message', 'embeddings')),
            ('user', user()),
        ],
        options={'abstract': False},
    ),
    migrations.CreateModel(
        name='FactLink',
        fields=[
            ('id', key()),
            ('kind', models.CharField(choices=[('follows_from', 'Follows From'), ('derived_from', 'Derived From'), ('contradicts', 'Contradicts')], max_length=12)),
            ('weight', models.FloatField(default=1.0)),
            ('made_at', models.DateTimeField()),
            ('source', link('memoryapp.fact', 'links')),
            ('target', link('memoryapp.fact', 'linked_from')),
            ('user', user()),
        ],
        options={'abstract': False},
    ),
]


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0006_api"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([load("retrieval").replace("{app}", settings.DATABASE_APP_ROLE)])
            ],
            state_operations=STATE,
        )
    ]
