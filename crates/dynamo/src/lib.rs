//! The language of DynamoDB.
