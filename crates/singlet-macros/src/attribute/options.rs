//! `#[attribute(…)]` options of types and variants.

use crate::case::Case;
use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, LitStr};

/// The tag member of an enum without `tag`.
pub(super) const DEFAULT_TAG: &str = "type";

/// Options in `#[attribute(…)]` on a type.
#[derive(Default)]
pub(super) struct TypeOptions {
    /// Applies to the fields of a struct or the variants of an enum.
    pub(super) rename_all: Option<Case>,
    /// Applies to the fields of all variants.
    pub(super) rename_all_fields: Option<Case>,
    pub(super) tag: Option<LitStr>,
    pub(super) content: Option<LitStr>,
    pub(super) externally_tagged: Option<Span>,
    /// The first enum-only option, for the error on a struct.
    of_enums: Option<(Span, String)>,
}

impl TypeOptions {
    pub(super) fn of(input: &DeriveInput) -> syn::Result<Self> {
        let is_enum = matches!(input.data, Data::Enum(_));
        let mut options = Self::default();
        let mut said: Vec<String> = Vec::new();
        each(&input.attrs, |meta| {
            let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            if said.contains(&name) {
                return Err(meta.error(format!("`{name}` is said twice")));
            }
            match name.as_str() {
                "rename_all" => options.rename_all = Some(case(&meta)?),
                "rename_all_fields" => options.rename_all_fields = Some(case(&meta)?),
                "tag" => options.tag = Some(text(&meta)?),
                "content" => options.content = Some(text(&meta)?),
                "externally_tagged" => options.externally_tagged = Some(meta.path.span()),
                "untagged" => {
                    return Err(meta.error(
                        "a stored value must say which variant it is: name the member that does, `tag = \"…\"`; or let serde read it, with `#[attribute(with = serde)]` on the field that holds it",
                    ));
                }
                _ if is_enum => {
                    return Err(meta.error(
                        "unknown; an enum can say `rename_all = \"…\"`, `rename_all_fields = \"…\"`, `tag = \"…\"`, `content = \"…\"`, `externally_tagged`",
                    ));
                }
                _ => {
                    return Err(meta.error("unknown; a struct can say `rename_all = \"…\"`"));
                }
            }
            if name != "rename_all" && options.of_enums.is_none() {
                options.of_enums = Some((meta.path.span(), name.clone()));
            }
            said.push(name);
            Ok(())
        })?;
        if let (Some(span), true) =
            (options.externally_tagged, options.tag.is_some() || options.content.is_some())
        {
            return Err(syn::Error::new(
                span,
                "an enum has one kind of tag: `externally_tagged`, or a member that is called `tag = \"…\"`",
            ));
        }
        if let Some(content) = options.content.as_ref()
            && content.value() == options.tag()
        {
            let message = format!("the tag is called `{}` too", content.value());
            return Err(syn::Error::new(content.span(), message));
        }
        Ok(options)
    }

    /// Name of the tag member.
    pub(super) fn tag(&self) -> String {
        self.tag.as_ref().map_or_else(|| DEFAULT_TAG.to_owned(), LitStr::value)
    }

    pub(super) fn refuse_enum_options(&self) -> syn::Result<()> {
        match &self.of_enums {
            Some((span, name)) => {
                Err(syn::Error::new(*span, format!("only an enum can say `{name}`")))
            }
            None => Ok(()),
        }
    }
}

/// Options in `#[attribute(…)]` on a variant.
#[derive(Default)]
pub(super) struct VariantOptions {
    pub(super) rename: Option<LitStr>,
    /// Applies to its fields.
    pub(super) rename_all: Option<Case>,
}

impl VariantOptions {
    pub(super) fn of(variant: &syn::Variant) -> syn::Result<Self> {
        let mut options = Self::default();
        let has_members = matches!(variant.fields, syn::Fields::Named(_));
        each(&variant.attrs, |meta| {
            if meta.path.is_ident("rename") {
                options.rename = Some(text(&meta)?);
            } else if meta.path.is_ident("rename_all") && has_members {
                options.rename_all = Some(case(&meta)?);
            } else if has_members {
                return Err(meta.error(
                    "unknown; a variant can say `rename = \"…\"`, and `rename_all = \"…\"` for its fields",
                ));
            } else {
                return Err(meta.error("unknown; a variant can say `rename = \"…\"`"));
            }
            Ok(())
        })?;
        Ok(options)
    }
}

fn each(
    attributes: &[Attribute],
    mut read: impl FnMut(ParseNestedMeta<'_>) -> syn::Result<()>,
) -> syn::Result<()> {
    for attribute in attributes.iter().filter(|one| one.path().is_ident("attribute")) {
        attribute.parse_nested_meta(&mut read)?;
    }
    Ok(())
}

fn case(meta: &ParseNestedMeta<'_>) -> syn::Result<Case> {
    Case::parse(&meta.value()?.parse()?)
}

/// A non-empty string literal.
fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    let text: LitStr = meta.value()?.parse()?;
    if text.value().is_empty() {
        return Err(syn::Error::new(text.span(), "a name must not be empty"));
    }
    Ok(text)
}
