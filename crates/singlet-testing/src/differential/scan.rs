//! Scans, whose row order is specific to a system.

use super::compare::told;
use super::{Pair, System};
use singlet_dynamo::operation::{Answer, Scan, Segment, Selection};
use singlet_dynamo::{Error, Item};

impl<S: System> Pair<'_, S> {
    /// Runs a scan to its end. Learns the system's row order first and checks that every row is
    /// read once; every page must then follow that order.
    pub(super) fn scan(&mut self, request: &Scan) -> Result<(), String> {
        let mut request = request.clone();
        self.reference.set_scan_order(None);
        let actual = self.ask(request.clone());
        if is_wrong_segment(&request, &actual) {
            return self.check_wrong_segment(&request);
        }
        let expected = self.reference.run(&request.clone().into());
        if actual.is_err() || expected.is_err() {
            return super::compare(&request, &actual, &expected);
        }

        let segments = self.segments(&request)?;
        let number = request.segment.map_or(0, |segment| segment.number as usize);
        let mut order = segments[number].clone();
        if let Some(start) = &request.exclusive_start_key
            && !order.contains(start)
        {
            // Only the system knows where a missing start key sorts.
            let behind = self.rows(&request, request.segment, Some(start.clone()))?;
            if !order.ends_with(&behind) {
                return Err(format!(
                    "asked:    {request:?}\nfrom a key that is not there on, it reads {behind:?}\nwhich are not the last of {order:?}"
                ));
            }
            order = behind;
        }
        self.reference.set_scan_order(Some(order));
        while let Some(Answer::Page(page)) = self.request(&request.clone().into())? {
            match page.last_evaluated_key {
                Some(key) => request.exclusive_start_key = Some(key),
                None => break,
            }
        }
        self.reference.set_scan_order(None);
        Ok(())
    }

    /// The rows of each segment in the system's order. Together they are all rows, each once.
    fn segments(&mut self, request: &Scan) -> Result<Vec<Vec<Item>>, String> {
        let total = request.segment.map_or(1, |segment| segment.total);
        let mut segments = Vec::new();
        for number in 0..total {
            let segment = request.segment.map(|_| Segment { number, total });
            segments.push(self.rows(request, segment, None)?);
        }
        let index_name = request.index_name.as_deref();
        self.reference
            .check_scan_order(&request.table_name, index_name, &segments)
            .map_err(|problem| format!("asked:    {request:?}\n{problem}"))?;
        Ok(segments)
    }

    /// The keys of a segment's rows after a start key.
    fn rows(
        &mut self,
        request: &Scan,
        segment: Option<Segment>,
        start: Option<Item>,
    ) -> Result<Vec<Item>, String> {
        let mut plain = Scan {
            index_name: request.index_name.clone(),
            selection: Selection::Held,
            segment,
            exclusive_start_key: start,
            ..Scan::new(request.table_name.as_str())
        };
        let mut rows = Vec::new();
        loop {
            match self.ask(plain.clone()) {
                Ok(Answer::Page(page)) => {
                    let items = page.items.into_iter().flatten().map(|item| item.to_item());
                    let keys = items.map(|item| {
                        self.reference.row_key(
                            &request.table_name,
                            request.index_name.as_deref(),
                            &item,
                        )
                    });
                    rows.extend(keys);
                    match page.last_evaluated_key {
                        Some(key) => plain.exclusive_start_key = Some(key),
                        None => return Ok(rows),
                    }
                }
                answer => return Err(format!("asked:    {plain:?}\nanswered: {}", told(&answer))),
            }
        }
    }

    /// A start key may be rejected as belonging to another segment only if it is not in this one.
    fn check_wrong_segment(&mut self, request: &Scan) -> Result<(), String> {
        let segments = self.segments(request)?;
        let number = request.segment.map_or(0, |segment| segment.number as usize);
        match request.exclusive_start_key.as_ref().filter(|key| segments[number].contains(key)) {
            None => Ok(()),
            Some(key) => {
                Err(format!("asked:    {request:?}\nrefused {key:?}, which is in this segment"))
            }
        }
    }
}

fn is_wrong_segment(request: &Scan, answer: &Result<Answer, Error>) -> bool {
    match (request.segment, answer) {
        (Some(segment), Err(error)) => *error == Scan::wrong_segment(segment),
        _ => false,
    }
}
