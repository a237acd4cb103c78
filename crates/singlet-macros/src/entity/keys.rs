//! What keys mean for fields: which can be set, and which only together.

use super::{Entity, KeyTemplates};
use crate::field::Field;
use crate::template::Template;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

/// What may be done with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Plain,
    PrimaryKey,
    OnlyInKey,
    OnlyInIndexKey,
    IndexKey,
    LoneIndexKey,
    SharedIndexKey,
    OnlyInSharedIndexKey,
    BesideKept,
    Kept,
    InPayload,
}

impl FieldKind {
    /// The kind of the field at a place of an entity, as a type.
    pub(super) fn to_type(self, entity: &Ident, place: usize) -> TokenStream {
        match self {
            Self::Plain => quote!(::singlet::field::kind::Plain),
            Self::PrimaryKey => quote!(::singlet::field::kind::PrimaryKey),
            Self::OnlyInKey => quote!(::singlet::field::kind::OnlyInKey),
            Self::OnlyInIndexKey => quote!(::singlet::field::kind::OnlyInIndexKey),
            Self::IndexKey => quote!(::singlet::field::kind::IndexKey),
            // Which attributes an index has is not known to this macro, but it is to the compiler.
            Self::LoneIndexKey => quote! {
                ::singlet::field::kind::LoneIndexKey<{
                    ::singlet::check::is_own_index_key(
                        &<#entity as ::singlet::Entity>::SHAPE,
                        <<#entity as ::singlet::Entity>::Table as ::singlet::Table>::SHAPE,
                        #place,
                    )
                }>
            },
            Self::SharedIndexKey => quote!(::singlet::field::kind::SharedIndexKey),
            Self::OnlyInSharedIndexKey => quote!(::singlet::field::kind::OnlyInSharedIndexKey),
            Self::BesideKept => quote!(::singlet::field::kind::BesideKept),
            Self::Kept => quote!(::singlet::field::kind::Kept),
            Self::InPayload => quote!(::singlet::field::kind::InPayload),
        }
    }
}

/// What may be done with the fields of an entity.
pub(super) struct Kinds {
    /// For each field.
    pub(super) kinds: Vec<FieldKind>,
    /// Fields that can only be set together, by their places, ascending.
    pub(super) groups: Vec<Vec<usize>>,
}

impl Kinds {
    pub(super) fn of(entity: &Entity) -> syn::Result<Self> {
        let primary = entity.key.places();
        let groups = groups(entity, &primary);
        for group in &groups {
            let kept = group.iter().filter_map(|place| entity.fields.get(*place));
            if let Some(field) = kept.into_iter().find(|field| field.options.updated.is_some()) {
                return Err(syn::Error::new(
                    field.ident.span(),
                    "this field changes with every update, and shares an index key with others that do not: the key would go stale; give it an index attribute without them",
                ));
            }
        }
        let names = |key: &KeyTemplates, place: usize| {
            key.templates().flat_map(Template::parts).any(|part| part.place == place)
        };
        let decides_a_key = |place: usize| {
            let mut conditions = entity.indexes.iter().filter_map(|key| key.when.as_ref());
            conditions.any(|when| when.place == place)
        };
        let in_index = |place: usize| {
            decides_a_key(place) || entity.indexes.iter().any(|key| names(key, place))
        };
        let in_composed = |place: usize| {
            let templates = entity.indexes.iter().flat_map(KeyTemplates::templates);
            let composed = templates.filter(|template| template.is_composed());
            composed.flat_map(Template::parts).any(|part| part.place == place)
        };
        let has_payload = entity.arguments.payload.is_some();
        let mut kinds = Vec::with_capacity(entity.fields.len());
        for (place, field) in entity.fields.iter().enumerate() {
            let options = &field.options;
            let is_primary = primary.contains(&place);
            let group = groups.iter().find(|group| group.contains(&place));
            let is_shared = group.is_some();
            let is_kept = |place: &usize| entity.fields.get(*place).is_some_and(Field::is_kept);
            let is_beside_kept = group.is_some_and(|group| group.iter().any(is_kept));
            kinds.push(if is_primary && options.in_key.is_some() {
                FieldKind::OnlyInKey
            } else if field.is_kept() {
                FieldKind::Kept
            } else if has_payload && options.ttl.is_none() && options.in_key.is_none() {
                FieldKind::InPayload
            } else if is_primary {
                FieldKind::PrimaryKey
            } else if options.in_key.is_some() && !is_shared {
                FieldKind::OnlyInIndexKey
            } else if options.in_key.is_some() {
                FieldKind::OnlyInSharedIndexKey
            } else if is_beside_kept {
                FieldKind::BesideKept
            } else if is_shared {
                FieldKind::SharedIndexKey
            } else if in_index(place) {
                // What decides whether an item has a key cannot be computed either.
                match in_composed(place) || decides_a_key(place) {
                    true => FieldKind::IndexKey,
                    false => FieldKind::LoneIndexKey,
                }
            } else {
                FieldKind::Plain
            });
        }
        Ok(Self { kinds, groups })
    }
}

/// Fields that an index key needs all of, so that none of them can be set without the others.
/// What is part of the primary key is always known, and needs not be set.
fn groups(entity: &Entity, primary: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for needed in entity.indexes.iter().flat_map(|index| needed_together(entity, index)) {
        let mut joined: Vec<usize> =
            needed.into_iter().filter(|place| !primary.contains(place)).collect();
        // Keys that share a field make one group of all their fields.
        groups.retain(|group| {
            let is_apart = group.iter().all(|place| !joined.contains(place));
            if !is_apart {
                joined.extend(group);
            }
            is_apart
        });
        joined.sort_unstable();
        joined.dedup();
        groups.push(joined);
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// For each attribute of an index key, the fields that are needed to write it. Composed attributes
/// are there together or not at all, so they need each other's fields if one may be missing.
fn needed_together(entity: &Entity, index: &KeyTemplates) -> Vec<Vec<usize>> {
    let is_optional = |place: &usize| {
        entity.fields.get(*place).is_some_and(|field| field.inside_option().is_some())
    };
    if let Some(when) = &index.when {
        // Which key it is hangs on the field of the condition, and so does every attribute of it
        // that is not the same for all of them.
        let depending = index.templates().enumerate().filter(|(position, template)| {
            !entity.indexes.iter().filter(|other| other.index == index.index).all(|other| {
                other.templates().nth(*position).is_some_and(|own| own.is_same_field(template))
            })
        });
        let parts = depending.flat_map(|(_, template)| template.parts());
        return vec![std::iter::once(when.place).chain(parts.map(|part| part.place)).collect()];
    }
    let composed = index.templates().filter(|template| template.is_composed());
    let each: Vec<Vec<usize>> =
        composed.map(|template| template.parts().map(|part| part.place).collect()).collect();
    if each.iter().flatten().any(is_optional) { vec![each.concat()] } else { each }
}
