//! Single-table designs for DynamoDB: declared once, checked, documented, and run anywhere.
//!
//! A design says which tables and indexes there are, which entities lie in them under which keys,
//! and how the application gets at them. People write that down in documents and then again as
//! code. Here it is written once. As plain data it is a [`design::Design`], which can be read from
//! a JSON file too: its check finds its mistakes, and documents, CloudFormation and
//! CreateTable requests come out of it.
//!
//! - [`key`]: what keys are made of, and whether two keys can be the same.
//! - [`design`]: the design as data.

pub mod design;
pub mod key;
