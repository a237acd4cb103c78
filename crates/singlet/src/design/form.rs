//! The forms that the language's own types have in a file. They are not ours, so that the derives
//! stand here, on twins of them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use singlet_dynamo::schema::{IndexProjection, KeyAttribute, KeySchema, KeyType, Scope};
use singlet_dynamo::table::StreamViewType;
use singlet_template::{DELIMITER_RULE, is_delimiter};

#[derive(Serialize, Deserialize)]
#[serde(remote = "KeyType")]
enum KeyTypeForm {
    S,
    N,
    B,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "IndexProjection", rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum ProjectionForm {
    All,
    KeysOnly,
    Include(Vec<String>),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Scope", rename_all = "snake_case")]
pub(super) enum ScopeForm {
    Global,
    Local,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "StreamViewType", rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum StreamForm {
    KeysOnly,
    NewImage,
    OldImage,
    NewAndOldImages,
}

/// A stream that there may be.
pub(super) mod stream {
    use super::{Deserialize, Deserializer, Serialize, Serializer, StreamForm, StreamViewType};

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Form(#[serde(with = "StreamForm")] StreamViewType);

    #[expect(clippy::ref_option, reason = "serde passes references to fields")]
    pub(in super::super) fn serialize<S: Serializer>(
        stream: &Option<StreamViewType>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        stream.map(Form).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<StreamViewType>, D::Error> {
        Ok(Option::<Form>::deserialize(deserializer)?.map(|form| form.0))
    }
}

/// A key attribute: `"PK"`, or `{"name": "stars", "type": "N"}` for what is not text.
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a key attribute is a name such as \"PK\", which is text, or an object such as \
                 {\"name\": \"stars\", \"type\": \"N\"} with a type of S, N or B"
)]
enum AttributeForm {
    Text(String),
    Typed(TypedForm),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedForm {
    name: String,
    #[serde(rename = "type", with = "KeyTypeForm")]
    kind: KeyType,
}

impl From<&KeyAttribute> for AttributeForm {
    fn from(attribute: &KeyAttribute) -> Self {
        let name = attribute.name.clone();
        match attribute.kind {
            KeyType::S => Self::Text(name),
            kind => Self::Typed(TypedForm { name, kind }),
        }
    }
}

impl From<AttributeForm> for KeyAttribute {
    fn from(form: AttributeForm) -> Self {
        match form {
            AttributeForm::Text(name) => Self::new(name, KeyType::S),
            AttributeForm::Typed(TypedForm { name, kind }) => Self::new(name, kind),
        }
    }
}

/// The key of a table or an index.
pub(super) mod key {
    use super::{AttributeForm, Deserialize, Deserializer, KeySchema, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Form {
        partition: AttributeForm,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sort: Option<AttributeForm>,
    }

    pub(in super::super) fn serialize<S: Serializer>(
        key: &KeySchema,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let partition = AttributeForm::from(&key.partition);
        let sort = key.sort.as_ref().map(AttributeForm::from);
        Form { partition, sort }.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<KeySchema, D::Error> {
        let form = Form::deserialize(deserializer)?;
        Ok(KeySchema { partition: form.partition.into(), sort: form.sort.map(Into::into) })
    }
}

/// The character between the parts of keys.
pub(super) fn delimiter<'de, D: Deserializer<'de>>(deserializer: D) -> Result<char, D::Error> {
    char::deserialize(deserializer).and_then(checked_delimiter)
}

/// The character between the parts of a table's keys.
pub(super) fn table_delimiter<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<char>, D::Error> {
    Option::deserialize(deserializer)?.map(checked_delimiter).transpose()
}

fn checked_delimiter<E: serde::de::Error>(delimiter: char) -> Result<char, E> {
    match is_delimiter(delimiter) {
        true => Ok(delimiter),
        false => Err(E::custom(format!("{DELIMITER_RULE}, not `{delimiter}`"))),
    }
}
