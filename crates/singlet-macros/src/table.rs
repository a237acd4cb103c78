//! `#[table]`: a table with its indexes and entities.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use singlet_template::{DELIMITER_RULE, is_delimiter};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Ident, ItemStruct, LitInt, LitStr, Path, Token, parenthesized};

/// Arguments of `#[table(…)]`.
struct Arguments {
    name: LitStr,
    elsewhere: Option<LitStr>,
    key: Key,
    indexes: Vec<Index>,
    ttl: Option<Name>,
    billing: Option<(LitInt, LitInt)>,
    stream: bool,
    delimiter: u8,
    entities: Vec<Path>,
}

/// Name of an attribute or index: an identifier or a string.
struct Name {
    text: String,
    span: Span,
}

struct Key {
    partition: Vec<KeyAttribute>,
    sort: Vec<KeyAttribute>,
}

struct KeyAttribute {
    name: Name,
    kind: Ident,
}

struct Index {
    name: Name,
    key: Key,
    projection: Projection,
    local: bool,
}

enum Projection {
    All,
    Keys,
    Attributes(Vec<Name>),
}

impl Parse for Name {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let literal: LitStr = input.parse()?;
            return Ok(Self { text: literal.value(), span: literal.span() });
        }
        let ident: Ident = input.parse()?;
        Ok(Self { text: ident.to_string(), span: ident.span() })
    }
}

impl Parse for KeyAttribute {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Name = input.parse()?;
        if !input.peek(Token![:]) {
            let kind = Ident::new("S", name.span);
            return Ok(Self { name, kind });
        }
        input.parse::<Token![:]>()?;
        let kind: Ident = input.parse()?;
        if !["S", "N", "B"].iter().any(|known| kind == known) {
            return Err(syn::Error::new(kind.span(), "a key attribute is of type `S`, `N` or `B`"));
        }
        Ok(Self { name, kind })
    }
}

/// `(PK, SK)`, `(teamId)`, or `((tenant, region), (state, priority: N))`.
impl Parse for Key {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        let parentheses = parenthesized!(content in input);
        let lists: Punctuated<OneOrSeveral<KeyAttribute>, Token![,]> =
            Punctuated::parse_terminated(&content)?;
        let mut lists = lists.into_iter().map(|list| list.0);
        match (lists.next(), lists.next(), lists.next()) {
            (Some(partition), sort, None) if !partition.is_empty() => {
                Ok(Self { partition, sort: sort.unwrap_or_default() })
            }
            _ => Err(syn::Error::new(
                parentheses.span.join(),
                "a key has one or two attributes: the partition key, and the sort key; in a global index each can be a list: `((tenant, region), (state, priority))`",
            )),
        }
    }
}

/// One element, or a list of them in parentheses.
pub(crate) struct OneOrSeveral<T>(pub(crate) Vec<T>);

impl<T: Parse> Parse for OneOrSeveral<T> {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::token::Paren) {
            return input.parse().map(|only| Self(vec![only]));
        }
        let content;
        parenthesized!(content in input);
        let list: Punctuated<T, Token![,]> = Punctuated::parse_terminated(&content)?;
        Ok(Self(list.into_iter().collect()))
    }
}

/// `GSI1 = (GSI1PK, GSI1SK)`, optionally with `local` before and `projecting(…)` after it.
impl Parse for Index {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut name: Name = input.parse()?;
        let local = name.text == "local" && !input.peek(Token![=]);
        if local {
            name = input.parse()?;
        }
        input.parse::<Token![=]>()?;
        let key = input.parse()?;
        let mut projection = Projection::All;
        if input.peek(Ident) {
            let word: Ident = input.parse()?;
            if word != "projecting" {
                return Err(syn::Error::new(
                    word.span(),
                    "expected `projecting(keys)` or `projecting(\"one\", \"another\")`",
                ));
            }
            let content;
            parenthesized!(content in input);
            let names: Punctuated<Name, Token![,]> = Punctuated::parse_terminated(&content)?;
            let names: Vec<Name> = names.into_iter().collect();
            projection = match names.as_slice() {
                [only] if only.text == "keys" => Projection::Keys,
                _ => Projection::Attributes(names),
            };
        }
        Ok(Self { name, key, projection, local })
    }
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (mut name, mut key, mut indexes, mut ttl) = (None, None, Vec::new(), None);
        let (mut billing, mut stream, mut entities) = (None, false, None);
        let (mut delimiter, mut elsewhere) = (b'#', None);
        while !input.is_empty() {
            let option: Ident = input.parse()?;
            match option.to_string().as_str() {
                "name" => {
                    input.parse::<Token![=]>()?;
                    name = Some(input.parse()?);
                }
                "elsewhere" => {
                    input.parse::<Token![=]>()?;
                    elsewhere = Some(parse_elsewhere(input)?);
                }
                "key" => {
                    input.parse::<Token![=]>()?;
                    key = Some(input.parse()?);
                }
                "ttl" => {
                    input.parse::<Token![=]>()?;
                    ttl = Some(input.parse()?);
                }
                "stream" => stream = true,
                "delimiter" => {
                    input.parse::<Token![=]>()?;
                    delimiter = parse_delimiter(input)?;
                }
                "index" => {
                    let content;
                    parenthesized!(content in input);
                    let more: Punctuated<Index, Token![,]> =
                        Punctuated::parse_terminated(&content)?;
                    indexes.extend(more);
                }
                "provisioned" => {
                    let content;
                    parenthesized!(content in input);
                    let read = content.parse()?;
                    content.parse::<Token![,]>()?;
                    billing = Some((read, content.parse()?));
                }
                "entities" => {
                    let content;
                    parenthesized!(content in input);
                    let listed: Punctuated<Path, Token![,]> =
                        Punctuated::parse_terminated(&content)?;
                    entities = Some(listed.into_iter().collect());
                }
                _ => {
                    return Err(syn::Error::new(
                        option.span(),
                        "unknown; a table can say `name = \"…\"`, `elsewhere = \"…-{env}\"`, `key = (…)`, `index(…)`, `ttl = …`, `provisioned(read, write)`, `stream`, `delimiter = \"|\"`, `entities(…)`",
                    ));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let missing =
            |what: &str| syn::Error::new(Span::call_site(), format!("a table needs {what}"));
        Ok(Self {
            name: name.ok_or_else(|| missing("a name: `name = \"snakes-{env}\"`"))?,
            elsewhere,
            key: key.ok_or_else(|| missing("a key: `key = (PK, SK)`"))?,
            indexes,
            ttl,
            billing,
            stream,
            delimiter,
            entities: entities.ok_or_else(|| missing("its entities: `entities(Game, Player)`"))?,
        })
    }
}

/// A name that must contain the environment: two environments must not share a table.
fn parse_elsewhere(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let name: LitStr = input.parse()?;
    let text = name.value();
    match text.split_once('{').is_some_and(|(_, rest)| rest.contains('}')) {
        true => Ok(name),
        false => Err(syn::Error::new(
            name.span(),
            "the name in other environments contains the environment: `elsewhere = \"fus-{env}\"`",
        )),
    }
}

/// One ASCII character, as a string or character literal: `"|"`.
fn parse_delimiter(input: ParseStream<'_>) -> syn::Result<u8> {
    let literal: syn::Lit = input.parse()?;
    let text = match &literal {
        syn::Lit::Str(text) => text.value(),
        syn::Lit::Char(character) => character.value().to_string(),
        _ => String::new(),
    };
    match text.as_bytes() {
        [byte] if is_delimiter(char::from(*byte)) => Ok(*byte),
        _ => Err(syn::Error::new(literal.span(), format!("{DELIMITER_RULE}: `delimiter = \"|\"`"))),
    }
}

impl KeyAttribute {
    fn to_constant(&self) -> TokenStream {
        let (name, kind) = (borrowed(&self.name.text), &self.kind);
        quote!(::singlet::design::KeyAttribute {
            name: #name,
            kind: ::singlet::dynamo::schema::KeyType::#kind,
        })
    }
}

impl Key {
    fn to_constant(&self) -> TokenStream {
        let partition = self.partition.iter().map(KeyAttribute::to_constant);
        let sort = self.sort.iter().map(KeyAttribute::to_constant);
        quote!(::singlet::design::KeyAttributes {
            partition: ::std::borrow::Cow::Borrowed(&[#(#partition),*]),
            sort: ::std::borrow::Cow::Borrowed(&[#(#sort),*]),
        })
    }
}

impl Index {
    fn to_constant(&self) -> TokenStream {
        let (name, key) = (borrowed(&self.name.text), self.key.to_constant());
        let scope = if self.local { quote!(Local) } else { quote!(Global) };
        let projection = match &self.projection {
            Projection::All => quote!(All),
            Projection::Keys => quote!(KeysOnly),
            Projection::Attributes(names) => {
                let names = names.iter().map(|name| borrowed(&name.text));
                quote!(Include(::std::borrow::Cow::Borrowed(&[#(#names),*])))
            }
        };
        quote!(::singlet::design::Index {
            name: #name,
            description: ::std::option::Option::None,
            key: #key,
            projection: ::singlet::design::Projection::#projection,
            scope: ::singlet::dynamo::schema::Scope::#scope,
        })
    }
}

/// A design's text, as a constant.
fn borrowed(text: &str) -> TokenStream {
    quote!(::std::borrow::Cow::Borrowed(#text))
}

/// An optional constant.
pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::std::option::Option::Some(#value)),
        None => quote!(::std::option::Option::None),
    }
}

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let item: ItemStruct = syn::parse2(item)?;
    let table: Arguments = syn::parse2(arguments)?;
    let (ident, visibility) = (&item.ident, &item.vis);
    let type_name = ident.to_string();
    let (name, key) = (&table.name, table.key.to_constant());
    let elsewhere = option(table.elsewhere.as_ref().map(|name| quote!(#name)));
    let indexes = table.indexes.iter().map(Index::to_constant);
    let ttl = option(table.ttl.as_ref().map(|name| {
        let text = &name.text;
        quote!(#text)
    }));
    let (stream, delimiter) = (table.stream, table.delimiter);
    let billing = match &table.billing {
        None => quote!(OnDemand),
        Some((read, write)) => quote!(Provisioned { read_units: #read, write_units: #write }),
    };

    let entities = &table.entities;
    let variants: Vec<&Ident> =
        entities.iter().filter_map(|path| path.segments.last()).map(|last| &last.ident).collect();
    let items = format_ident!("{ident}Item");
    let about = format!("An item of the table [`{ident}`]: one of its entities.");
    let about_variants = variants.iter().map(|variant| format!("See [`{variant}`]."));
    let lists = entities.iter().map(|entity| {
        quote_spanned!(entity.span()=> impl ::singlet::table::Lists<#entity> for #ident {})
    });
    Ok(quote! {
        #item

        impl ::singlet::Table for #ident {
            const SHAPE: &'static ::singlet::shape::TableShape = {
                static SHAPE: ::singlet::shape::TableShape = ::singlet::shape::TableShape {
                    type_name: #type_name,
                    name: #name,
                    elsewhere: #elsewhere,
                    key: #key,
                    indexes: &[#(#indexes),*],
                    ttl: #ttl,
                    billing: ::singlet::design::Billing::#billing,
                    stream: #stream,
                    delimiter: #delimiter,
                    entities: &[#(&<#entities as ::singlet::Entity>::SHAPE),*],
                };
                &SHAPE
            };

            type Item = #items;

            fn decode(
                item: ::singlet::dynamo::binary::ItemRef<'_>,
            ) -> ::std::result::Result<::std::option::Option<#items>, ::singlet::Corrupt> {
                #(
                    if let ::std::option::Option::Some(entity) =
                        ::singlet::table::decode_if::<#entities>(item)?
                    {
                        return ::std::result::Result::Ok(::std::option::Option::Some(
                            #items::#variants(entity),
                        ));
                    }
                )*
                ::std::result::Result::Ok(::std::option::Option::None)
            }
        }

        impl ::singlet::Declaration for #ident {
            const NAME: &'static str = #type_name;
            const TABLES: &'static [&'static ::singlet::shape::TableShape] =
                &[<#ident as ::singlet::Table>::SHAPE];
        }

        impl ::singlet::table::Contains<#ident> for #ident {
            const PLACE: usize = 0;
        }

        #(#lists)*

        #[doc = #about]
        #[allow(clippy::large_enum_variant, unreachable_pub, dead_code)]
        #visibility enum #items {
            #(
                #[doc = #about_variants]
                #variants(#entities),
            )*
        }

        const _: () = ::singlet::check::table(<#ident as ::singlet::Table>::SHAPE);
    })
}
