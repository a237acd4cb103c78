//! Requests about tables.

use super::Generator;
use super::design::{EXPIRY, TABLES};
use singlet_dynamo::operation::{
    CreateTable, DeleteTable, DescribeEndpoints, DescribeLimits, DescribeTable, DescribeTimeToLive,
    IndexUpdate, ListTables, ListTagsOfResource, OnDemandChange, Request, ResourceArn,
    StreamChange, TagResource, UntagResource, UpdateTable, UpdateTimeToLive,
};
use singlet_dynamo::schema::Scope;
use singlet_dynamo::table::{BillingMode, ProvisionedThroughput, StreamViewType, Throughput};

const VIEWS: [StreamViewType; 4] = [
    StreamViewType::KeysOnly,
    StreamViewType::NewImage,
    StreamViewType::OldImage,
    StreamViewType::NewAndOldImages,
];
const TAGS: [&str; 3] = ["owner", "stage", "cost centre"];

impl Generator {
    pub(super) fn about_tables(&mut self) -> Request {
        match self.random.below(60) {
            0..6 => self.create_table(),
            6..9 => self.delete_table(),
            9..27 => self.update_table(),
            27..37 => DescribeTable { table_name: self.table_name() }.into(),
            37 => ListTables {
                exclusive_start_table_name: self
                    .random
                    .percent(50)
                    .then(|| self.pick(&TABLES).to_owned()),
                limit: self.random.percent(60).then(|| 1 + self.random.below(2)),
            }
            .into(),
            38..50 => UpdateTimeToLive {
                table_name: self.table_name(),
                attribute_name: self.pick(&[EXPIRY, EXPIRY, EXPIRY, "a"]).to_owned(),
                enabled: self.random.percent(75),
            }
            .into(),
            50 => DescribeTimeToLive { table_name: self.table_name() }.into(),
            51..54 => {
                let resource_arn = self.arn();
                let count = 1 + self.random.below(2);
                let tags = (0..count)
                    .map(|_| (self.pick(&TAGS).to_owned(), self.pick(&["us", "them"]).to_owned()));
                TagResource { tags: tags.collect(), resource_arn }.into()
            }
            54 | 55 => UntagResource {
                resource_arn: self.arn(),
                tag_keys: vec![self.pick(&TAGS).to_owned()],
            }
            .into(),
            56 | 57 => ListTagsOfResource { resource_arn: self.arn() }.into(),
            58 => DescribeLimits.into(),
            _ => DescribeEndpoints.into(),
        }
    }

    fn arn(&mut self) -> ResourceArn {
        let name = self.table_name();
        ResourceArn::parse(format!("arn:aws:dynamodb:us-east-1:000000000000:table/{name}"))
            .expect("the ARN of a table")
    }

    pub(super) fn create_table(&mut self) -> Request {
        let is_free = |name: &&&str| !self.designs.iter().any(|own| own.schema.name == ***name);
        let free = TABLES.iter().find(is_free).copied();
        let name = match free {
            Some(free) if self.random.percent(95) => free,
            _ => self.pick(&TABLES),
        };
        let design = self.design(name);
        let mut request = CreateTable::new(design.schema.clone());
        if self.random.percent(20) {
            request.throughput = Throughput::provisioned(5, 5);
            let global = design.schema.indexes.iter().filter(|one| one.scope == Scope::Global);
            request.index_throughput =
                global.map(|one| (one.name.clone(), Throughput::provisioned(3, 3))).collect();
        }
        request.stream = self.random.percent(60).then(|| self.pick(&VIEWS));
        request.deletion_protection = self.random.percent(10);
        if self.random.percent(20) {
            request.tags.insert("owner".to_owned(), "nobody".to_owned());
        }
        if free.is_some_and(|free| free == name) {
            self.designs.push(design);
        }
        request.into()
    }

    fn delete_table(&mut self) -> Request {
        let table_name = self.table_name();
        // It may be refused, but then requests for the old table still meet the new one.
        self.designs.retain(|design| design.schema.name != table_name);
        DeleteTable { table_name }.into()
    }

    fn update_table(&mut self) -> Request {
        let table_name = self.table_name();
        let mut request = UpdateTable::new(table_name.as_str());
        let known = self.designs.iter().position(|design| design.schema.name == table_name);
        match self.random.below(12) {
            0..7 => {
                let Some(at) = known else { return request.into() };
                if let Some(update) = self.index_update(at) {
                    request.index_updates.push(update);
                }
            }
            7 => request.stream = Some(StreamChange::Enable(self.pick(&VIEWS))),
            8 => request.stream = Some(StreamChange::Disable),
            9 => {
                let units = 1 + self.random.below(3) as i64;
                request.billing_mode = Some(BillingMode::Provisioned);
                request.provisioned_throughput = Some(ProvisionedThroughput {
                    read_capacity_units: units,
                    write_capacity_units: units,
                });
            }
            10 => request.billing_mode = Some(BillingMode::PayPerRequest),
            _ => request.deletion_protection = Some(self.random.percent(30)),
        }
        request.into()
    }

    fn index_update(&mut self, at: usize) -> Option<IndexUpdate> {
        let design = self.designs[at].clone();
        if self.random.percent(60)
            && let Some(name) = self.new_index_name(&design)
        {
            let index = self.global_index(&name, &design);
            self.designs[at].schema.indexes.push(index.clone());
            return Some(IndexUpdate::Create {
                index,
                provisioned_throughput: None,
                on_demand_throughput: OnDemandChange::default(),
            });
        }
        let global = design.schema.indexes.iter().filter(|one| one.scope == Scope::Global);
        let index_name = global.map(|one| one.name.clone()).next_back()?;
        self.designs[at].schema.indexes.retain(|one| one.name != index_name);
        Some(IndexUpdate::Delete { index_name })
    }
}
