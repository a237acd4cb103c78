//! Arguments of `#[entity(…)]`.

use super::{KeyTemplates, When};
use crate::case::Case;
use crate::field::Field;
use crate::table::OneOrSeveral;
use crate::template::Template;
use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{DeriveInput, Ident, Lit, LitStr, Path, Token, parenthesized};

pub(super) struct Arguments {
    pub(super) table: Path,
    pub(super) key: DeclaredKey,
    /// Keyed by index name.
    pub(super) indexes: Vec<(LitStr, DeclaredKey)>,
    /// Attribute and value; the value defaults to the entity's name.
    pub(super) discriminator: Option<(LitStr, Option<LitStr>)>,
    pub(super) payload: Option<LitStr>,
    pub(super) rename_all: Option<Case>,
    /// Entities that share its key space.
    pub(super) shares_key_with: Vec<Path>,
}

/// A parsed key declaration: templates, and the name of the access pattern.
pub(super) struct DeclaredKey {
    pattern: Option<Ident>,
    partition: Vec<LitStr>,
    sort: Vec<LitStr>,
    span: Span,
    when: Option<DeclaredWhen>,
}

/// `when state = "open" | "reopened"`, or `when archived = false`.
struct DeclaredWhen {
    field: Ident,
    values: Vec<String>,
}

impl DeclaredWhen {
    fn resolve(&self, fields: &[Field]) -> syn::Result<When> {
        let name = self.field.unraw().to_string();
        match fields.iter().position(|field| field.name == name) {
            Some(place) => Ok(When { place, field: name, values: self.values.clone() }),
            None => Err(syn::Error::new(
                self.field.span(),
                format!("the condition is on `{name}`, which is not a field of this entity"),
            )),
        }
    }
}

impl Parse for DeclaredWhen {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let field = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        let mut values = Vec::new();
        loop {
            values.push(match input.parse()? {
                Lit::Str(text) => text.value(),
                Lit::Bool(truth) => truth.value().to_string(),
                other => {
                    return Err(syn::Error::new(
                        other.span(),
                        "a condition names values as they are stored: `when state = \"open\" | \"reopened\"`, or `when archived = false`",
                    ));
                }
            });
            if input.parse::<Option<Token![|]>>()?.is_none() {
                return Ok(Self { field, values });
            }
        }
    }
}

impl DeclaredKey {
    pub(super) fn resolve(
        &self,
        index: Option<String>,
        fields: &[Field],
    ) -> syn::Result<KeyTemplates> {
        let pattern = match (&self.pattern, &index) {
            (Some(pattern), _) => pattern.clone(),
            (None, None) => Ident::new("of", self.span),
            (None, Some(index)) => {
                return Err(syn::Error::new(
                    self.span,
                    format!("say which access pattern this key serves: `{index} newest = (…)`"),
                ));
            }
        };
        let templates = |texts: &[LitStr]| -> syn::Result<Vec<Template>> {
            texts.iter().map(|text| Template::parse(text, fields)).collect()
        };
        let (partition, sort) = (templates(&self.partition)?, templates(&self.sort)?);
        let when = match (&self.when, &index) {
            (Some(when), None) => {
                return Err(syn::Error::new(
                    when.field.span(),
                    "every item has its primary key; only a key in an index can have a condition",
                ));
            }
            (when, _) => when.as_ref().map(|when| when.resolve(fields)).transpose()?,
        };
        Ok(KeyTemplates { index, pattern, partition, sort, when })
    }
}

/// A template, or a field that fills the attribute: `due` means `"{due}"`.
struct DeclaredTemplate(LitStr);

impl Parse for DeclaredTemplate {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return input.parse().map(Self);
        }
        let field = input.call(Ident::parse_any)?;
        Ok(Self(LitStr::new(&format!("{{{}}}", field.unraw()), field.span())))
    }
}

/// `("GAME#{code}", "METADATA")`, `("{id}")`, or `((tenant, region), (state, priority))`.
impl Parse for DeclaredKey {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let pattern = if input.peek(Ident) { Some(input.parse()?) } else { None };
        input.parse::<Token![=]>()?;
        let content;
        parenthesized!(content in input);
        let span = content.span();
        let texts = |list: OneOrSeveral<DeclaredTemplate>| -> Vec<LitStr> {
            list.0.into_iter().map(|template| template.0).collect()
        };
        let partition = texts(content.parse()?);
        let mut sort = Vec::new();
        if content.peek(Token![,]) {
            content.parse::<Token![,]>()?;
            if !content.is_empty() {
                sort = texts(content.parse()?);
            }
        }
        if !content.is_empty() || partition.is_empty() {
            return Err(syn::Error::new(
                if partition.is_empty() { span } else { content.span() },
                "a key has at most two templates: of the partition key, and of the sort key; in an index whose key has several attributes each is a list: `((tenant, region), (state, priority))`",
            ));
        }
        let mut when = None;
        if input.peek(Ident) {
            let word: Ident = input.parse()?;
            if word != "when" {
                return Err(syn::Error::new(
                    word.span(),
                    "expected a comma, or a condition: `when state = \"open\"`",
                ));
            }
            when = Some(input.parse()?);
        }
        Ok(Self { pattern, partition, sort, span, when })
    }
}

impl Arguments {
    pub(super) fn of(input: &DeriveInput) -> syn::Result<Self> {
        let mut declared = input.attrs.iter().filter(|one| one.path().is_ident("entity"));
        match (declared.next(), declared.next()) {
            (Some(only), None) => only.parse_args(),
            (None, _) => Err(syn::Error::new(
                input.ident.span(),
                "an entity says where it is stored: `#[entity(Table, key = (\"…\", \"…\"))]`",
            )),
            (Some(_), Some(second)) => {
                Err(syn::Error::new_spanned(second, "an entity is declared once"))
            }
        }
    }
}

impl Arguments {
    /// The table alone, of a declaration that may have an error behind it.
    pub(super) fn table_of(input: &DeriveInput) -> Option<Path> {
        let declared = input.attrs.iter().find(|one| one.path().is_ident("entity"))?;
        let first = |input: ParseStream<'_>| {
            let table = input.parse()?;
            input.parse::<proc_macro2::TokenStream>()?;
            Ok(table)
        };
        declared.parse_args_with(first).ok()
    }
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let table: Path = input.parse()?;
        let (mut key, mut indexes) = (None, Vec::<(LitStr, DeclaredKey)>::new());
        let (mut discriminator, mut payload, mut rename_all) = (None, None, None);
        let mut shares_key_with = Vec::new();
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let name: LitStr = if input.peek(LitStr) {
                input.parse()?
            } else {
                let ident: Ident = input.parse()?;
                match ident.to_string().as_str() {
                    "key" => {
                        key = Some(input.parse()?);
                        continue;
                    }
                    "discriminator" => {
                        discriminator = Some(parse_discriminator(input)?);
                        continue;
                    }
                    "payload" => {
                        input.parse::<Token![=]>()?;
                        payload = Some(input.parse()?);
                        continue;
                    }
                    "rename_all" => {
                        input.parse::<Token![=]>()?;
                        rename_all = Some(Case::parse(&input.parse()?)?);
                        continue;
                    }
                    "shares_key_with" => {
                        let content;
                        parenthesized!(content in input);
                        let listed: Punctuated<Path, Token![,]> =
                            Punctuated::parse_terminated(&content)?;
                        shares_key_with.extend(listed);
                        continue;
                    }
                    other => LitStr::new(other, ident.span()),
                }
            };
            indexes.push((name, input.parse()?));
        }
        if !input.is_empty() {
            return Err(input.error("expected a comma"));
        }
        let key = key.ok_or_else(|| {
            let message = "an entity has a key: `key = (\"GAME#{code}\", \"METADATA\")`";
            syn::Error::new_spanned(&table, message)
        })?;
        Ok(Self { table, key, indexes, discriminator, payload, rename_all, shares_key_with })
    }
}

/// `= "entityType"`, or `= ("entityType", "SITE")`.
fn parse_discriminator(input: ParseStream<'_>) -> syn::Result<(LitStr, Option<LitStr>)> {
    input.parse::<Token![=]>()?;
    if input.peek(LitStr) {
        return Ok((input.parse()?, None));
    }
    let content;
    parenthesized!(content in input);
    let attribute = content.parse()?;
    content.parse::<Token![,]>()?;
    Ok((attribute, Some(content.parse()?)))
}
