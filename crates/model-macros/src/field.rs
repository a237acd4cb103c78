//! Fields, and what `#[attribute(…)]` says of them.

use crate::case::Case;
use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Fields, GenericArgument, Ident, LitStr, PathArguments, Type};

/// A field of a struct.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    /// Its name in Rust.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) options: Options,
}

/// What `#[attribute(…)]` says of a field.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) rename: Option<LitStr>,
    pub(crate) null: Option<Span>,
    pub(crate) default: Option<Span>,
    pub(crate) created: Option<Span>,
    pub(crate) updated: Option<Span>,
    pub(crate) version: Option<Span>,
    pub(crate) ttl: Option<Span>,
    pub(crate) in_key: Option<Span>,
}

impl Field {
    /// The named fields of a struct.
    pub(crate) fn all(fields: &Fields, span: Span, what: &str) -> syn::Result<Vec<Self>> {
        let Fields::Named(fields) = fields else {
            return Err(syn::Error::new(span, format!("{what} is a struct with named fields")));
        };
        fields.named.iter().map(Self::new).collect()
    }

    fn new(field: &syn::Field) -> syn::Result<Self> {
        let Some(ident) = field.ident.clone() else {
            return Err(syn::Error::new(field.span(), "a field must have a name"));
        };
        let name = ident.unraw().to_string();
        let options = Options::parse(&field.attrs)?;
        Ok(Self { ident, name, ty: field.ty.clone(), options })
    }

    /// The attribute's name.
    pub(crate) fn attribute(&self, case: Option<Case>) -> String {
        match (&self.options.rename, case) {
            (Some(name), _) => name.value(),
            (None, Some(case)) => case.apply(&self.name),
            (None, None) => self.name.clone(),
        }
    }

    /// The type inside `Option`, if that is what the field's type is called.
    pub(crate) fn inside_option(&self) -> Option<&Type> {
        argument_of(&self.ty, "Option")
    }

    /// The type of a value that is there.
    pub(crate) fn value_type(&self) -> &Type {
        self.inside_option().unwrap_or(&self.ty)
    }

    /// Whether the model says what its value is.
    pub(crate) fn is_kept(&self) -> bool {
        let Options { created, updated, version, .. } = &self.options;
        created.is_some() || updated.is_some() || version.is_some()
    }
}

/// The `T` of a type that is called `Name<T>`.
pub(crate) fn argument_of<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

impl Options {
    fn parse(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|one| one.path().is_ident("attribute")) {
            attribute.parse_nested_meta(|meta| {
                let flag = |slot: &mut Option<Span>| *slot = Some(meta.path.span());
                if meta.path.is_ident("rename") {
                    options.rename = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("null") {
                    flag(&mut options.null);
                } else if meta.path.is_ident("default") {
                    flag(&mut options.default);
                } else if meta.path.is_ident("created") {
                    flag(&mut options.created);
                } else if meta.path.is_ident("updated") {
                    flag(&mut options.updated);
                } else if meta.path.is_ident("version") {
                    flag(&mut options.version);
                } else if meta.path.is_ident("ttl") {
                    flag(&mut options.ttl);
                } else if meta.path.is_ident("in_key") {
                    flag(&mut options.in_key);
                } else {
                    return Err(meta.error(
                        "unknown; an attribute can say `rename = \"…\"`, `null`, `default`, `created`, `updated`, `version`, `ttl`, `in_key`",
                    ));
                }
                Ok(())
            })?;
        }
        Ok(options)
    }

    /// Refuses what only the fields of an entity can say.
    pub(crate) fn refuse_entity_options(&self) -> syn::Result<()> {
        for (span, name) in [
            (self.created, "created"),
            (self.updated, "updated"),
            (self.version, "version"),
            (self.ttl, "ttl"),
            (self.in_key, "in_key"),
        ] {
            if let Some(span) = span {
                return Err(syn::Error::new(
                    span,
                    format!("only a field of an entity can be `{name}`"),
                ));
            }
        }
        Ok(())
    }
}
