//! A random workload of all kinds of writes.

use singlet_dynamo::operation::{
    BatchWriteItem, CreateTable, DeleteItem, PutItem, TransactWriteItems, UpdateItem, UpdateTable,
    UpdateTimeToLive,
};
use singlet_engine::{Clock, Engine, Error};
use singlet_testing::random::Random;

/// Maximum number of items per table: few, so that most writes hit an item.
const KEYS: usize = 24;

/// A client that uses all kinds of writes on two tables. It also changes tables, indexes, streams
/// and expiry.
pub struct Workload {
    random: Random,
    clock: Clock,
    /// Number of writes so far. Stored in each item, so that no two states are equal.
    step: usize,
    has_extra_index: bool,
    /// Whether the extra index must still be filled or cleared.
    is_index_changing: bool,
}

impl Workload {
    pub fn new(seed: u64, clock: &Clock) -> Self {
        Self {
            random: Random::new(seed),
            clock: clock.clone(),
            step: 0,
            has_extra_index: false,
            is_index_changing: false,
        }
    }

    /// Runs one operation, which changes the visible contents at most once. Returns whether it was
    /// maintenance, which makes everything before it durable.
    pub fn step(&mut self, engine: &Engine) -> Result<bool, Error> {
        self.step += 1;
        let mut is_maintenance = false;
        let done = match self.step {
            1 => create(engine, ORDERS),
            3 => create(engine, STOCK),
            2 | 4 => engine.maintain(),
            5 => engine.update_time_to_live(UpdateTimeToLive::from_json(EXPIRY)?).map(drop),
            _ => match self.random.below(100) {
                0..30 => self.put(engine),
                30..50 => self.update(engine),
                50..60 => self.delete(engine),
                60..82 => self.transact(engine),
                82..88 => self.write_batch(engine),
                88..97 => {
                    is_maintenance = true;
                    self.maintain(engine)
                }
                _ => self.change_indexes(engine),
            },
        };
        match done {
            // A failed condition is a valid answer.
            Err(Error::Refused(_)) => Ok(false),
            done => done.map(|()| is_maintenance),
        }
    }

    fn item(&mut self) -> String {
        let (key, rank) = (self.random.below(KEYS), self.random.below(5));
        let mut item = format!(
            r#"{{"pk":{{"S":"p{}"}},"sk":{{"S":"s{}"}},"step":{{"N":"{}"}},"rank":{{"N":"{rank}"}}"#,
            key % 5,
            key / 5,
            self.step
        );
        if self.random.percent(70) {
            item += &format!(r#","group":{{"S":"g{}"}}"#, self.random.below(3));
        }
        if self.random.percent(30) {
            let second = self.clock.now().as_millis() / 1000 + self.random.below(60) as i64;
            item += &format!(r#","until":{{"N":"{second}"}}"#);
        }
        if self.random.percent(30) {
            // Sometimes larger than a page of the file.
            let len = self.random.below(3) * self.random.below(2_500);
            item += &format!(r#","text":{{"S":"{}"}}"#, "x".repeat(len));
        }
        item + "}"
    }

    fn key(&mut self) -> String {
        let key = self.random.below(KEYS);
        format!(r#"{{"pk":{{"S":"p{}"}},"sk":{{"S":"s{}"}}}}"#, key % 5, key / 5)
    }

    fn table(&mut self) -> &'static str {
        if self.random.percent(60) { "Orders" } else { "Stock" }
    }

    fn put(&mut self, engine: &Engine) -> Result<(), Error> {
        let request = format!(r#"{{"TableName":"{}","Item":{}}}"#, self.table(), self.item());
        engine.put_item(PutItem::from_json(request.as_bytes())?).map(drop)
    }

    fn update(&mut self, engine: &Engine) -> Result<(), Error> {
        let (table, key, step) = (self.table(), self.key(), self.step);
        let rank = self.random.below(5);
        let request = format!(
            r##"{{"TableName":"{table}","Key":{key},"UpdateExpression":"SET step = :s, #r = :r ADD n :one REMOVE #t","ExpressionAttributeNames":{{"#r":"rank","#t":"until"}},"ExpressionAttributeValues":{{":s":{{"N":"{step}"}},":r":{{"N":"{rank}"}},":one":{{"N":"1"}}}}}}"##
        );
        engine.update_item(UpdateItem::from_json(request.as_bytes())?).map(drop)
    }

    fn delete(&mut self, engine: &Engine) -> Result<(), Error> {
        let request = format!(r#"{{"TableName":"{}","Key":{}}}"#, self.table(), self.key());
        engine.delete_item(DeleteItem::from_json(request.as_bytes())?).map(drop)
    }

    /// Puts the same item into both tables, deletes one, and increments a permanent one, so that
    /// every action leaves a trace.
    fn transact(&mut self, engine: &Engine) -> Result<(), Error> {
        let (item, step) = (self.item(), self.step);
        let token = match self.random.percent(50) {
            true => format!(r#","ClientRequestToken":"step-{step}""#),
            false => String::new(),
        };
        let total = |table: &str| {
            format!(
                r#"{{"Update":{{"TableName":"{table}","Key":{{"pk":{{"S":"total"}},"sk":{{"S":"{step}"}}}},"UpdateExpression":"SET step = :s","ExpressionAttributeValues":{{":s":{{"N":"{step}"}}}}}}}}"#
            )
        };
        let gone = format!(
            r#"{{"Delete":{{"TableName":"Orders","Key":{{"pk":{{"S":"total"}},"sk":{{"S":"{}"}}}}}}}}"#,
            step.saturating_sub(20)
        );
        let request = format!(
            r#"{{"TransactItems":[{{"Put":{{"TableName":"Orders","Item":{item}}}}},{{"Put":{{"TableName":"Stock","Item":{item}}}}},{},{},{gone}],"ReturnItemCollectionMetrics":"SIZE"{token}}}"#,
            total("Orders"),
            total("Stock"),
        );
        engine.transact_write_items(TransactWriteItems::from_json(request.as_bytes())?).map(drop)
    }

    fn write_batch(&mut self, engine: &Engine) -> Result<(), Error> {
        let (put, step) = (self.item(), self.step);
        let request = format!(
            r#"{{"RequestItems":{{"Orders":[{{"PutRequest":{{"Item":{put}}}}},{{"PutRequest":{{"Item":{{"pk":{{"S":"batch"}},"sk":{{"S":"{}"}},"step":{{"N":"{step}"}}}}}}}}],"Stock":[{{"DeleteRequest":{{"Key":{}}}}}]}}}}"#,
            step % 4,
            self.key(),
        );
        engine.batch_write_item(BatchWriteItem::from_json(request.as_bytes())?).map(drop)
    }

    /// Adds or removes an index; a later round of maintenance fills or clears it.
    fn change_indexes(&mut self, engine: &Engine) -> Result<(), Error> {
        if self.is_index_changing {
            return self.maintain(engine);
        }
        self.is_index_changing = true;
        self.has_extra_index = !self.has_extra_index;
        let change = if self.has_extra_index {
            r#""AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"step","AttributeType":"N"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"byStep","KeySchema":[{"AttributeName":"step","KeyType":"HASH"},{"AttributeName":"pk","KeyType":"RANGE"},{"AttributeName":"sk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}}]"#
        } else {
            r#""GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byStep"}}]"#
        };
        let request = format!(r#"{{"TableName":"Stock",{change}}}"#);
        engine.update_table(UpdateTable::from_json(request.as_bytes())?).map(drop)
    }

    /// Completes the index change, or advances the clock so that items expire; never both in one
    /// step, because these are two commits.
    fn maintain(&mut self, engine: &Engine) -> Result<(), Error> {
        if !self.is_index_changing {
            self.clock.advance(7_000);
        }
        self.is_index_changing = false;
        engine.maintain()
    }
}

fn create(engine: &Engine, request: &str) -> Result<(), Error> {
    engine.create_table(CreateTable::from_json(request.as_bytes())?).map(drop)
}

const ORDERS: &str = r#"{"TableName":"Orders","BillingMode":"PAY_PER_REQUEST",
"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"group","AttributeType":"S"},{"AttributeName":"rank","AttributeType":"N"}],
"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
"GlobalSecondaryIndexes":[{"IndexName":"byGroup","KeySchema":[{"AttributeName":"group","KeyType":"HASH"},{"AttributeName":"rank","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},{"IndexName":"byGroupAndKey","KeySchema":[{"AttributeName":"group","KeyType":"HASH"},{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"rank","KeyType":"RANGE"},{"AttributeName":"sk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
"LocalSecondaryIndexes":[{"IndexName":"byRank","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"rank","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#;

const STOCK: &str = r#"{"TableName":"Stock","BillingMode":"PAY_PER_REQUEST",
"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],
"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}"#;

const EXPIRY: &[u8] =
    br#"{"TableName":"Orders","TimeToLiveSpecification":{"AttributeName":"until","Enabled":true}}"#;
