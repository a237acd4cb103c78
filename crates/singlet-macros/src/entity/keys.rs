//! How keys restrict updates: which fields can be set, and which only together.

use super::{Entity, KeyTemplates};
use crate::field::Field;
use crate::template::Template;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

/// Which updates a field allows.
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
    OnlyBesideKept,
    Kept,
    InPayload,
}

impl FieldKind {
    /// The kind of the field at a position, as a type. `group` is the name of its group.
    pub(super) fn to_type(
        self,
        entity: &Ident,
        place: usize,
        group: Option<&Ident>,
    ) -> TokenStream {
        match self {
            Self::Plain => quote!(::singlet::field::kind::Plain),
            Self::PrimaryKey => quote!(::singlet::field::kind::PrimaryKey),
            Self::OnlyInKey => quote!(::singlet::field::kind::OnlyInKey),
            Self::OnlyInIndexKey => quote!(::singlet::field::kind::OnlyInIndexKey),
            Self::IndexKey => quote!(::singlet::field::kind::IndexKey),
            // The macro does not see the table's declaration, so the compiler evaluates this.
            Self::LoneIndexKey => quote! {
                ::singlet::field::kind::LoneIndexKey<{
                    ::singlet::check::is_own_index_key(
                        &<#entity as ::singlet::Entity>::SHAPE,
                        <<#entity as ::singlet::Entity>::Table as ::singlet::Table>::SHAPE,
                        #place,
                    )
                }>
            },
            Self::SharedIndexKey => quote!(::singlet::field::kind::SharedIndexKey<Self, #group>),
            Self::OnlyInSharedIndexKey => {
                quote!(::singlet::field::kind::OnlyInSharedIndexKey<Self, #group>)
            }
            Self::BesideKept => quote!(::singlet::field::kind::BesideKept),
            Self::OnlyBesideKept => quote!(::singlet::field::kind::OnlyBesideKept),
            Self::Kept => quote!(::singlet::field::kind::Kept),
            Self::InPayload => quote!(::singlet::field::kind::InPayload),
        }
    }
}

/// Which updates the fields of an entity allow.
pub(super) struct Kinds {
    /// One per field.
    pub(super) kinds: Vec<FieldKind>,
    /// Fields that can only be set together, as ascending positions.
    pub(super) groups: Vec<Vec<usize>>,
}

impl Kinds {
    pub(super) fn of(entity: &Entity) -> Self {
        let primary = entity.key.places();
        let groups = groups(entity, &primary);
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
            } else if options.in_key.is_some() && is_beside_kept {
                FieldKind::OnlyBesideKept
            } else if options.in_key.is_some() {
                FieldKind::OnlyInSharedIndexKey
            } else if is_beside_kept {
                FieldKind::BesideKept
            } else if is_shared {
                FieldKind::SharedIndexKey
            } else if in_index(place) {
                // Updates cannot compute a field that decides whether the item has a key.
                match in_composed(place) || decides_a_key(place) {
                    true => FieldKind::IndexKey,
                    false => FieldKind::LoneIndexKey,
                }
            } else {
                FieldKind::Plain
            });
        }
        Self { kinds, groups }
    }

    /// Rejects a field with the time of the last update that shares an index attribute.
    pub(super) fn check(&self, entity: &Entity) -> syn::Result<()> {
        for group in &self.groups {
            let fields = group.iter().filter_map(|place| entity.fields.get(*place));
            let (updated, others): (Vec<_>, Vec<_>) =
                fields.partition(|field| field.options.updated.is_some());
            let Some(updated) = updated.first() else { continue };
            let names: Vec<&str> =
                others.iter().chain([updated]).map(|field| field.name.as_str()).collect();
            let message = format!(
                "this field changes with every update, and the others of its index key do not: the key would go stale; use an index with a key of several attributes, this one last: `((…), ({}))`",
                names.join(", ")
            );
            return Err(syn::Error::new(updated.ident.span(), message));
        }
        Ok(())
    }
}

/// Groups of fields that can only be set together, because an index key needs all of them. Fields
/// of the primary key are always known and need not be set.
fn groups(entity: &Entity, primary: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for needed in entity.indexes.iter().flat_map(|index| needed_together(entity, index)) {
        let mut joined: Vec<usize> =
            needed.into_iter().filter(|place| !primary.contains(place)).collect();
        // Merge groups that share a field.
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

/// For each attribute of an index key, the fields needed to write it. Composed attributes are
/// written together or not at all, so if a field is optional they need each other's fields.
fn needed_together(entity: &Entity, index: &KeyTemplates) -> Vec<Vec<usize>> {
    let is_optional = |place: &usize| {
        entity.fields.get(*place).is_some_and(|field| field.inside_option().is_some())
    };
    if let Some(when) = &index.when {
        // The condition's field selects the key, and with it every attribute that differs between
        // the keys of this index.
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
