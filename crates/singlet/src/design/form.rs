//! File forms of types from `singlet_dynamo`, as serde remote derives.

use super::List;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use singlet_dynamo::schema::{KeyType, Scope};
use singlet_dynamo::table::StreamViewType;
use singlet_template::{DELIMITER_RULE, is_delimiter};

#[derive(Serialize, Deserialize)]
#[serde(remote = "KeyType")]
pub(super) enum KeyTypeForm {
    S,
    N,
    B,
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

/// An optional stream.
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

/// A single element, or a list of several.
pub(super) mod list {
    use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
    use serde::de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor};
    use serde::{Deserializer, Serialize, Serializer};
    use std::fmt;
    use std::marker::PhantomData;

    pub(in super::super) fn serialize<T: Serialize, S: Serializer>(
        list: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match list {
            [only] => only.serialize(serializer),
            several => several.serialize(serializer),
        }
    }

    pub(in super::super) fn deserialize<'de, T, L, D>(deserializer: D) -> Result<L, D::Error>
    where
        T: DeserializeOwned,
        L: From<Vec<T>>,
        D: Deserializer<'de>,
    {
        deserializer.deserialize_any(OneOrSeveral(PhantomData)).map(L::from)
    }

    struct OneOrSeveral<T>(PhantomData<T>);

    impl<'de, T: DeserializeOwned> Visitor<'de> for OneOrSeveral<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string, or a list for an index whose key has several attributes")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
            T::deserialize(StrDeserializer::new(text)).map(|only| vec![only])
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(|only| vec![only])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
            let list = Vec::deserialize(SeqAccessDeserializer::new(list))?;
            match list.is_empty() {
                true => Err(A::Error::custom("an empty list is no key: name an attribute")),
                false => Ok(list),
            }
        }
    }

    use serde::Deserialize as _;
}

/// An empty list.
pub(super) fn none<T: Clone>() -> List<T> {
    List::Borrowed(&[])
}

/// Whether a list can be omitted.
pub(super) fn is_empty<T: Clone>(list: &List<T>) -> bool {
    list.is_empty()
}

/// The design's delimiter.
pub(super) fn delimiter<'de, D: Deserializer<'de>>(deserializer: D) -> Result<char, D::Error> {
    char::deserialize(deserializer).and_then(checked_delimiter)
}

/// A table's delimiter.
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
