//! `#[derive(Collection)]`: several entities of one partition, read together. A struct holds all of
//! them; an enum is one of them.

use crate::field::argument_of;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::ParseStream;
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, LitInt, LitStr, Type};

/// Number of items in a member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    One,
    OneOrNone,
    Many,
}

struct Member {
    ident: Ident,
    entity: Type,
    number: Number,
    options: Options,
}

/// Options in `#[collection(…)]` on a member.
#[derive(Default)]
struct Options {
    limit: Option<LitInt>,
    descending: Option<Span>,
    /// The entity's access pattern to read by, if it has several in the index.
    pattern: Option<LitStr>,
}

impl Options {
    fn parse(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|one| one.path().is_ident("collection")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("limit") {
                    let limit: LitInt = meta.value()?.parse()?;
                    if limit.base10_parse::<usize>().is_ok_and(|limit| limit == 0) {
                        return Err(syn::Error::new(limit.span(), "a limit is one item at least"));
                    }
                    options.limit = Some(limit);
                } else if meta.path.is_ident("descending") {
                    options.descending = Some(meta.path.span());
                } else if meta.path.is_ident("pattern") {
                    if options.pattern.is_some() {
                        return Err(meta.error("a member is read by one pattern"));
                    }
                    options.pattern = Some(name(meta.value()?)?);
                } else {
                    return Err(meta.error(
                        "unknown; a member can say `limit = 10`, `descending` and `pattern = open`",
                    ));
                }
                Ok(())
            })?;
        }
        Ok(options)
    }

    /// Span of the limit or order option.
    fn order_span(&self) -> Option<Span> {
        self.limit.as_ref().map(LitInt::span).or(self.descending)
    }
}

impl Member {
    /// The member's pattern, as an optional constant.
    fn pattern(&self) -> TokenStream {
        crate::table::option(self.options.pattern.as_ref().map(|name| quote!(#name)))
    }

    /// A field of a struct.
    fn of_field(field: &syn::Field, ident: &Ident) -> syn::Result<Self> {
        let (entity, number) = if let Some(entity) = argument_of(&field.ty, "Vec") {
            (entity, Number::Many)
        } else if let Some(entity) = argument_of(&field.ty, "Option") {
            (entity, Number::OneOrNone)
        } else {
            (&field.ty, Number::One)
        };
        let options = Options::parse(&field.attrs)?;
        if let Some(span) = options.order_span().filter(|_| number != Number::Many) {
            return Err(syn::Error::new(
                span,
                "only a member that is a `Vec` has a limit or an order",
            ));
        }
        Ok(Self { ident: ident.clone(), entity: entity.clone(), number, options })
    }

    /// A variant of an enum.
    fn of_variant(variant: &syn::Variant) -> syn::Result<Self> {
        let Fields::Unnamed(fields) = &variant.fields else {
            return Err(syn::Error::new(variant.span(), VARIANT));
        };
        let mut types = fields.unnamed.iter();
        let (Some(only), None) = (types.next(), types.next()) else {
            return Err(syn::Error::new(variant.span(), VARIANT));
        };
        let options = Options::parse(&variant.attrs)?;
        if let Some(span) = options.order_span() {
            return Err(syn::Error::new(
                span,
                "the variants of an enum are read together: say `.limit(10)` and `.descending()` of the query",
            ));
        }
        let (ident, entity) = (variant.ident.clone(), only.ty.clone());
        Ok(Self { ident, entity, number: Number::Many, options })
    }
}

const VARIANT: &str = "a variant of a collection holds an entity: `Issue(Issue)`";
const NO_MEMBERS: &str = "a collection has members: entities of one partition";

pub(crate) fn expand(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let collection = Declared::new(&input)?;
    match &input.data {
        Data::Enum(_) => Ok(collection.expand_enum()),
        _ => Ok(collection.expand_struct()),
    }
}

/// A parsed collection declaration.
struct Declared<'i> {
    input: &'i DeriveInput,
    index: Option<LitStr>,
    head: Type,
    members: Vec<Member>,
}

impl<'i> Declared<'i> {
    fn new(input: &'i DeriveInput) -> syn::Result<Self> {
        let members: Vec<Member> = match &input.data {
            Data::Struct(data) => {
                let Fields::Named(fields) = &data.fields else {
                    return Err(syn::Error::new(
                        input.ident.span(),
                        "a collection is a struct with named fields, or an enum of entities",
                    ));
                };
                let named =
                    fields.named.iter().filter_map(|field| Some((field, field.ident.as_ref()?)));
                named
                    .map(|(field, ident)| Member::of_field(field, ident))
                    .collect::<syn::Result<_>>()?
            }
            Data::Enum(data) => {
                data.variants.iter().map(Member::of_variant).collect::<syn::Result<_>>()?
            }
            Data::Union(_) => Vec::new(),
        };
        let Some(first) = members.first() else {
            return Err(syn::Error::new(input.ident.span(), NO_MEMBERS));
        };
        let head = first.entity.clone();
        let index = index(&input.attrs)?;
        let mut patterns = members.iter().filter_map(|member| member.options.pattern.as_ref());
        if let (None, Some(pattern)) = (&index, patterns.next()) {
            return Err(syn::Error::new(
                pattern.span(),
                "a pattern is one of several keys in an index, which the collection names: `#[collection(index = GSI1)]`",
            ));
        }
        Ok(Self { input, index, head, members })
    }

    /// The index, as an optional constant.
    fn index_name(&self) -> TokenStream {
        crate::table::option(self.index.as_ref().map(|name| quote!(#name)))
    }

    fn table(&self) -> TokenStream {
        let head = &self.head;
        quote!(<<#head as ::singlet::Entity>::Table as ::singlet::Table>::SHAPE)
    }

    fn index_shape(&self) -> TokenStream {
        let table = self.table();
        crate::table::option(
            self.index.as_ref().map(|name| quote!(::singlet::check::index_shape(#table, #name))),
        )
    }

    /// Position of the index key that a member is read by.
    fn place(&self, member: &Member) -> TokenStream {
        let (entity, pattern) = (&member.entity, member.pattern());
        match &self.index {
            None => quote!({ ::singlet::query::PRIMARY }),
            Some(name) => quote!({
                ::singlet::check::index_place(
                    &<#entity as ::singlet::Entity>::SHAPE,
                    #name,
                    #pattern,
                )
            }),
        }
    }

    /// Position of the first member's key.
    fn head_place(&self) -> TokenStream {
        self.members.first().map(|member| self.place(member)).unwrap_or_default()
    }

    /// The trait implementation and the checks of the members.
    fn implementation(&self) -> TokenStream {
        let (ident, head, table) = (&self.input.ident, &self.head, self.table());
        let (index_name, index) = (self.index_name(), self.index_shape());
        let (name, place, count) = (ident.to_string(), self.head_place(), self.members.len());
        let source = match &self.index {
            None => quote!(::singlet::query::Primary),
            Some(name) => quote!(::singlet::query::ByIndex<
                #place,
                { ::singlet::check::is_local(#table, #name) },
                true,
            >),
        };
        let members = self.members.iter().map(|member| {
            let (entity, pattern) = (&member.entity, member.pattern());
            let limit =
                crate::table::option(member.options.limit.as_ref().map(|limit| quote!(#limit)));
            let descending = member.options.descending.is_some();
            quote!(::singlet::collection::MemberShape {
                entity: &<#entity as ::singlet::Entity>::SHAPE,
                key: ::singlet::check::key_of(
                    &<#entity as ::singlet::Entity>::SHAPE,
                    #index_name,
                    #pattern,
                ),
                limit: #limit,
                descending: #descending,
                is_by_one_of_several_keys: ::singlet::check::has_several_keys(
                    &<#entity as ::singlet::Entity>::SHAPE,
                    #index_name,
                ),
                check: ::singlet::collection::check_item::<#entity>,
            })
        });
        let checks = self.members.iter().enumerate().map(|(number, member)| {
            let (entity, is_many) = (&member.entity, member.number == Number::Many);
            let own_place = self.place(member);
            quote_spanned! {entity.span()=>
                const _: () = {
                    ::singlet::collection::assert_same_partition::<#head, #entity, #place, #own_place>();
                    ::singlet::check::collection(
                        &<#ident as ::singlet::Collection>::SHAPE,
                        #number,
                        #is_many,
                    );
                };
            }
        });
        quote! {
            impl ::singlet::Collection for #ident {
                type Head = #head;
                type Partition = <#head as ::singlet::query::KeyParts<#place>>::Partition;
                type Source = #source;
                const SHAPE: ::singlet::collection::CollectionShape = {
                    const MEMBERS: [::singlet::collection::MemberShape; #count] = [#(#members),*];
                    const INDEX: ::std::option::Option<&'static ::singlet::design::Index> = #index;
                    const RANGES: [usize; #count] =
                        ::singlet::check::collection_ranges(&MEMBERS, #table, INDEX);
                    ::singlet::collection::CollectionShape {
                        name: #name,
                        table: #table,
                        index: INDEX,
                        members: &MEMBERS,
                        ranges: &RANGES,
                        shared: ::singlet::check::shared(&MEMBERS),
                    }
                };
            }

            #(#checks)*
        }
    }

    fn expand_struct(&self) -> TokenStream {
        let (ident, visibility) = (&self.input.ident, &self.input.vis);
        let implementation = self.implementation();
        let begins = self.members.iter().map(|member| {
            let (name, entity) = (&member.ident, &member.entity);
            match member.number {
                Number::Many => quote!(let mut #name = ::std::vec::Vec::<#entity>::new();),
                _ => quote!(let mut #name = ::std::option::Option::<#entity>::None;),
            }
        });
        let takes = self.members.iter().enumerate().map(|(place, member)| {
            let (name, entity) = (&member.ident, &member.entity);
            let keep = match member.number {
                Number::Many => quote!(#name.push(__entity)),
                _ => quote!(#name = ::std::option::Option::Some(__entity)),
            };
            let own = match member.options.limit {
                Some(_) => quote!(::std::option::Option::Some(#place)),
                None => quote!(::std::option::Option::None),
            };
            quote! {
                if __own == #own {
                    if let ::std::option::Option::Some(__entity) =
                        ::singlet::collection::decode_member::<Self, #entity>(
                            #place,
                            __item,
                        )?
                    {
                        #keep;
                        continue;
                    }
                }
            }
        });
        // Members without a limit are read in ascending order, in one range with other members.
        let turned = self
            .members
            .iter()
            .filter(|member| member.options.descending.is_some() && member.options.limit.is_none());
        let turned = turned.map(|member| &member.ident);
        let needed = self.members.iter().filter(|member| member.number == Number::One);
        let needed = needed.map(|member| {
            let name = &member.ident;
            quote! {
                let ::std::option::Option::Some(#name) = #name else {
                    return ::std::result::Result::Ok(::std::option::Option::None);
                };
            }
        });
        let idents = self.members.iter().map(|member| &member.ident);
        quote! {
            #implementation

            impl ::singlet::collection::Assemble for #ident {
                fn assemble<'a>(
                    __items: impl ::std::iter::Iterator<Item = (
                        ::std::option::Option<usize>,
                        ::singlet::dynamo::binary::ItemRef<'a>,
                    )>,
                ) -> ::std::result::Result<::std::option::Option<Self>, ::singlet::Corrupt> {
                    #(#begins)*
                    for (__own, __item) in __items {
                        #(#takes)*
                    }
                    #(#turned.reverse();)*
                    #(#needed)*
                    ::std::result::Result::Ok(::std::option::Option::Some(Self { #(#idents),* }))
                }
            }

            impl #ident {
                /// Reads the collection of a partition.
                #visibility fn of(
                    partition: impl ::singlet::collection::Partition<
                        <Self as ::singlet::Collection>::Partition,
                    >,
                ) -> ::singlet::collection::Load<Self> {
                    ::singlet::collection::Load::new(partition)
                }
            }
        }
    }

    fn expand_enum(&self) -> TokenStream {
        let (ident, visibility) = (&self.input.ident, &self.input.vis);
        let (head, place) = (&self.head, self.head_place());
        let implementation = self.implementation();
        let name = ident.to_string();
        let entities: Vec<&Type> = self.members.iter().map(|member| &member.entity).collect();
        let variants = self.members.iter().map(|member| &member.ident);
        let places = 0..self.members.len();
        let shape = quote!(<#ident as ::singlet::Collection>::SHAPE);
        quote! {
            #implementation

            impl ::singlet::query::Readable for #ident {
                type Table = <#head as ::singlet::Entity>::Table;
                type Subject = Self;
                const NAME: &'static str = #name;
                const ENTITIES: &'static [&'static ::singlet::shape::EntityShape] =
                    &[#(&<#entities as ::singlet::Entity>::SHAPE),*];

                const TELLS_KEYS_APART: bool = ::singlet::collection::tells_keys_apart(&#shape);

                fn entity_of(
                    __item: ::singlet::dynamo::binary::ItemRef<'_>,
                ) -> ::std::option::Option<&'static ::singlet::shape::EntityShape> {
                    ::singlet::collection::entity_of::<Self>(__item)
                }

                fn decode_item(
                    __item: ::singlet::dynamo::binary::ItemRef<'_>,
                ) -> ::singlet::Result<::std::option::Option<Self>, ::singlet::Corrupt> {
                    #(
                        if let ::std::option::Option::Some(entity) =
                            ::singlet::collection::decode_member::<Self, #entities>(
                                #places,
                                __item,
                            )?
                        {
                            return ::std::result::Result::Ok(::std::option::Option::Some(
                                Self::#variants(entity),
                            ));
                        }
                    )*
                    ::std::result::Result::Ok(::std::option::Option::None)
                }
            }

            impl #ident {
                /// Queries a partition for these entities.
                #visibility fn of(
                    partition: impl ::singlet::collection::Partition<
                        <Self as ::singlet::Collection>::Partition,
                    >,
                ) -> ::singlet::Query<
                    Self,
                    <<#head as ::singlet::query::KeyParts<#place>>::Sort as ::singlet::query::Take<
                        { #shape.shared.parts },
                        { #shape.shared.has_more },
                    >>::Parts,
                    <Self as ::singlet::Collection>::Source,
                > {
                    ::singlet::collection::query(partition)
                }
            }
        }
    }
}

/// Parses `#[collection(index = GSI1)]`.
fn index(attributes: &[Attribute]) -> syn::Result<Option<LitStr>> {
    let mut index = None;
    for attribute in attributes.iter().filter(|one| one.path().is_ident("collection")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("index") {
                return Err(meta.error(
                    "unknown; a collection can say `index = GSI1`, and its members `limit = 10`, `descending` and `pattern = open`",
                ));
            }
            index = Some(name(meta.value()?)?);
            Ok(())
        })?;
    }
    Ok(index)
}

/// A name, as an identifier or a string.
fn name(value: ParseStream<'_>) -> syn::Result<LitStr> {
    if value.peek(LitStr) {
        return value.parse();
    }
    let name: Ident = value.parse()?;
    Ok(LitStr::new(&name.to_string(), name.span()))
}
