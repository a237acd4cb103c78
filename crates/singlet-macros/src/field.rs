//! Fields and their `#[attribute(…)]` options.

use crate::case::Case;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Fields, GenericArgument, Ident, LitStr, PathArguments, Type};

pub(crate) struct Field {
    pub(crate) ident: Ident,
    /// Name in Rust.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) options: Options,
}

/// Options in `#[attribute(…)]` on a field.
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
    pub(crate) with_serde: Option<Span>,
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

    /// The unnamed field of a newtype or of a single-value variant.
    pub(crate) fn unnamed(field: &syn::Field) -> syn::Result<Self> {
        let options = Options::parse(&field.attrs)?;
        options.refuse_entity_options()?;
        let of_members = [options.null, options.default, options.rename.as_ref().map(LitStr::span)];
        if let Some(span) = of_members.into_iter().flatten().next() {
            return Err(syn::Error::new(
                span,
                "a value without a name is stored as it is; only fields with names can say this",
            ));
        }
        let ident = Ident::new("content", field.span());
        Ok(Self { ident, name: String::new(), ty: field.ty.clone(), options })
    }

    /// The attribute type of the field within the type `name`. A recursive field is assumed to be a
    /// map, since asking for its type would be circular.
    pub(crate) fn kind_within(&self, name: &Ident) -> TokenStream {
        let ty = self.stored_type();
        match mentions(ty.clone(), name) {
            true => quote!(::singlet::design::AttributeType::Map),
            false => quote!(<#ty as ::singlet::Attribute>::KIND),
        }
    }

    /// The type the field is stored as: its own type, or a serde wrapper.
    pub(crate) fn stored_type(&self) -> TokenStream {
        let (ty, span) = (&self.ty, self.ty.span());
        match (self.options.with_serde, self.inside_option()) {
            (None, _) => quote!(#ty),
            (Some(_), None) => quote_spanned!(span=> ::singlet::attribute::Serde<#ty>),
            (Some(_), Some(ty)) => {
                quote_spanned!(span=> ::std::option::Option<::singlet::attribute::Serde<#ty>>)
            }
        }
    }

    /// Converts a reference to the field to its stored value, as a `Result`.
    pub(crate) fn to_value(&self, reference: &TokenStream) -> TokenStream {
        match (self.options.with_serde, self.inside_option()) {
            (None, _) => quote!(::singlet::Attribute::to_value(#reference)),
            (Some(_), None) => quote!(::singlet::attribute::serde_value(#reference)),
            (Some(_), Some(_)) => quote! {
                ::std::option::Option::as_ref(#reference)
                    .map_or(::std::result::Result::Ok(::std::option::Option::None), ::singlet::attribute::serde_value)
            },
        }
    }

    /// Converts a value of [`stored_type`](Self::stored_type) to the field.
    pub(crate) fn unwrap_stored(&self, read: TokenStream) -> TokenStream {
        match (self.options.with_serde, self.inside_option()) {
            (None, _) => read,
            (Some(_), None) => quote!(#read.0),
            (Some(_), Some(_)) => quote!(#read.map(|one| one.0)),
        }
    }

    /// Name of the constant for conditions and updates. In upper case, so that a method can have
    /// the field's name.
    pub(crate) fn constant(&self) -> Ident {
        Ident::new(&self.name.to_uppercase(), self.ident.span())
    }

    /// Name of the stored attribute.
    pub(crate) fn attribute(&self, case: Option<Case>) -> String {
        match (&self.options.rename, case) {
            (Some(name), _) => name.value(),
            (None, Some(case)) => case.apply(&self.name),
            (None, None) => self.name.clone(),
        }
    }

    /// The type inside `Option`, matched by name.
    pub(crate) fn inside_option(&self) -> Option<&Type> {
        argument_of(&self.ty, "Option")
    }

    /// The field's type without `Option`.
    pub(crate) fn value_type(&self) -> &Type {
        self.inside_option().unwrap_or(&self.ty)
    }

    /// Whether the library sets the value.
    pub(crate) fn is_kept(&self) -> bool {
        let Options { created, updated, version, .. } = &self.options;
        created.is_some() || updated.is_some() || version.is_some()
    }
}

/// The `T` in `Name<T>`.
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
                } else if meta.path.is_ident("with") {
                    flag(&mut options.with_serde);
                    let with: syn::Path = meta.value()?.parse()?;
                    if !with.is_ident("serde") {
                        return Err(meta.error("unknown; a field can be stored `with = serde`"));
                    }
                } else {
                    return Err(meta.error(
                        "unknown; an attribute can say `rename = \"…\"`, `null`, `default`, `created`, `updated`, `version`, `ttl`, `in_key`, `with = serde`",
                    ));
                }
                Ok(())
            })?;
        }
        Ok(options)
    }

    /// Rejects every option except `with = serde`: a projection takes the others from its entity.
    pub(crate) fn refuse_all_but_serde(&self) -> syn::Result<()> {
        self.refuse_entity_options()?;
        let of_entities = [self.null, self.default, self.rename.as_ref().map(LitStr::span)];
        match of_entities.into_iter().flatten().next() {
            Some(span) => Err(syn::Error::new(
                span,
                "a projection takes this from its entity; its fields can say `with = serde`",
            )),
            None => Ok(()),
        }
    }

    /// Rejects options that only apply to an entity's fields.
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

/// Whether a type mentions the given name.
fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name || ident == "Self",
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
