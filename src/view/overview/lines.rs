use std::cmp::Reverse;
use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::problems::Problem;
use super::{Certificate, Topic};
use crate::view::{Catalog, EventGroups, Health, UrlState, age_text, has_namespace, object_key, sorted_numbers};

/// So many objects are named; the line's link leads to all.
const NAMED: usize = 3;

/// So many names fit into a query.
const QUERIED: usize = 40;

/// Warnings are told of for so long.
const RECENT: SignedDuration = SignedDuration::from_hours(1);

/// When a certificate's end is near enough to be told of.
const SOON: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The page of those that hold certificates.
const SECRETS: &str = "secrets";

/// What is wrong with some objects of a kind, for one reason.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Tells it from the others.
    pub id: String,
    pub health: Health,
    pub reason: String,
    /// How many there are: `3 pods`.
    pub text: String,
    pub count: usize,
    /// The hash of the table that shows them; of a single object, its own.
    pub hash: String,
    /// The first of them.
    pub named: Vec<Named>,
    /// How many are not named.
    pub more: usize,
}

/// One of the objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// `namespace/name`
    pub text: String,
    /// What tells it from the others: `2 of 5`.
    pub detail: String,
    /// The hash of the side panel that shows it.
    pub hash: String,
}

/// Lines in the making.
#[derive(Default)]
pub(super) struct Lines(Vec<Group>);

struct Group {
    topic: Topic,
    reason: String,
    health: Health,
    count: usize,
    objects: Vec<Named>,
}

impl Lines {
    pub(super) fn add(&mut self, topic: Topic, key: &str, problem: &Problem) {
        let Problem { reason, health, detail, .. } = problem;
        let group = self.group(topic, reason, *health);
        group.count += 1;
        if group.objects.len() < QUERIED {
            group.objects.push(Named { text: key.into(), detail: (**detail).into(), hash: String::new() });
        }
    }

    /// What was warned of lately, by reason and with how often; the latest first.
    pub(super) fn add_warnings(
        &mut self,
        events: &EventGroups,
        namespaces: &BTreeSet<String>,
        catalog: Option<&Catalog>,
        now: Timestamp,
    ) {
        let is_recent = |seen: Timestamp| now.duration_since(seen) < RECENT;
        let is_chosen = |namespace: &str| namespaces.is_empty() || has_namespace(namespaces, namespace);
        let warnings = events.iter().filter(|it| it.is_warning() && is_chosen(&it.namespace));
        let recent: Vec<_> = warnings.filter(|it| it.last_seen.is_some_and(is_recent)).collect();
        let order = sorted_numbers(recent.len(), &mut |a, b| recent[b].last_seen.cmp(&recent[a].last_seen));
        for event in order.into_iter().map(|at| recent[at as usize]) {
            let group = self.group(Topic::Events, &event.reason, Health::Warning);
            group.count += usize::try_from(event.count).unwrap_or(0);
            if group.objects.len() < QUERIED {
                let is_named = group.objects.len() < NAMED;
                let hash = is_named.then(|| event.object_hash(catalog, namespaces)).flatten().unwrap_or_default();
                let detail = ["× ", &event.count.to_string()].concat();
                group.objects.push(Named { text: object_key(&event.namespace, &event.name), detail, hash });
            }
        }
    }

    pub(super) fn finish(self, namespaces: &BTreeSet<String>) -> Vec<Line> {
        let rank = |group: &Group| (group.health, group.topic, Reverse(group.count));
        let order = sorted_numbers(self.0.len(), &mut |a, b| {
            rank(&self.0[a]).cmp(&rank(&self.0[b])).then_with(|| self.0[a].reason.cmp(&self.0[b].reason))
        });
        order.into_iter().map(|at| self.0[at as usize].line(namespaces)).collect()
    }

    fn group(&mut self, topic: Topic, reason: &str, health: Health) -> &mut Group {
        let is_it = |it: &Group| it.topic == topic && it.health == health && it.reason == reason;
        let at = self.0.iter().position(is_it).unwrap_or(self.0.len());
        if at == self.0.len() {
            self.0.push(Group { topic, reason: reason.into(), health, count: 0, objects: Vec::new() });
        }
        &mut self.0[at]
    }
}

impl Group {
    fn line(&self, namespaces: &BTreeSet<String>) -> Line {
        let Self { topic, reason, health, count, objects } = self;
        let page = topic.page();
        let is_of_events = *topic == Topic::Events;
        let mut named = objects[..objects.len().min(NAMED)].to_vec();
        for it in named.iter_mut().filter(|it| it.hash.is_empty()) {
            it.hash = self.hash_of(&it.text, namespaces);
        }
        // Of an event the count is of times, and not of objects.
        let all = if is_of_events { objects.len() } else { *count };
        let hash = match named.first() {
            Some(only) if all == 1 && !is_of_events => only.hash.clone(),
            _ => self.table(self.query(), namespaces.clone()).to_hash(),
        };
        Line {
            id: format!("{page} {reason} {}", health.as_str()),
            health: *health,
            reason: reason.clone(),
            text: match topic {
                Topic::Events if *count == 1 => "1 warning".into(),
                Topic::Events => format!("{count} warnings"),
                _ => format!("{count} {}", topic.noun(*count)),
            },
            count: *count,
            hash,
            named,
            more: all.saturating_sub(NAMED),
        }
    }

    fn table(&self, query: String, namespaces: BTreeSet<String>) -> UrlState {
        let only = if self.topic == Topic::Events { "Warning" } else { "" };
        let namespaces = if self.topic.is_namespaced() { namespaces } else { BTreeSet::new() };
        UrlState { page: self.topic.page(), only: only.into(), namespaces, query, ..UrlState::default() }
    }

    /// Where what an event is about is of no known kind, the events about it.
    fn hash_of(&self, key: &str, chosen: &BTreeSet<String>) -> String {
        let page = self.topic.page();
        if self.topic != Topic::Events {
            return UrlState::of_object(&page, chosen, key).to_hash();
        }
        let namespaces = key.split_once('/').map(|(namespace, _)| namespace.to_owned()).into_iter().collect();
        self.table([&self.query(), " name=", &quoted(name_of(key))].concat(), namespaces).to_hash()
    }

    /// A query for those of the reason, by a column where one says so.
    fn query(&self) -> String {
        let names = || names_query(self.objects.iter().map(|it| name_of(&it.text)), self.count);
        match (self.topic, self.reason.as_str()) {
            (Topic::Events, reason) => ["reason=", &quoted(reason)].concat(),
            (Topic::Pods, "Unschedulable") => "status=Pending".into(),
            (Topic::Pods, "Not ready") => "status=Running !ready".into(),
            (Topic::Pods | Topic::Jobs | Topic::Claims, reason) => ["status=", &quoted(reason)].concat(),
            (Topic::Nodes, "NotReady") => "!ready".into(),
            (Topic::Nodes, "Cordoned") => "status:SchedulingDisabled".into(),
            (Topic::Deployments | Topic::StatefulSets, _) => "!ready".into(),
            (Topic::Nodes | Topic::DaemonSets, _) => names(),
        }
    }
}

/// The line of certificates that end soon; none when none does.
pub fn certificate_line(certificates: &[Certificate], namespaces: &BTreeSet<String>, now: Timestamp) -> Option<Line> {
    let is_chosen = |it: &&Certificate| namespaces.is_empty() || has_namespace(namespaces, &it.namespace);
    let is_soon = |it: &&Certificate| it.ends.duration_since(now) < SOON;
    let soon: Vec<_> = certificates.iter().filter(is_chosen).filter(is_soon).collect();
    let order = sorted_numbers(soon.len(), &mut |a, b| soon[a].ends.cmp(&soon[b].ends));
    let soon: Vec<_> = order.into_iter().map(|at| soon[at as usize]).collect();
    let first = soon.first()?;
    let detail = |ends: Timestamp| match ends <= now {
        true => format!("expired {} ago", age_text(Some(ends), now)),
        // The other way round, it is the time that is left.
        false => format!("in {}", age_text(Some(now), ends)),
    };
    let named = soon.iter().take(NAMED).map(|it| {
        let key = object_key(&it.namespace, &it.name);
        Named { hash: UrlState::of_object(SECRETS, namespaces, &key).to_hash(), text: key, detail: detail(it.ends) }
    });
    let named: Vec<_> = named.collect();
    let hash = if soon.len() == 1 {
        named[0].hash.clone()
    } else {
        let query = names_query(soon.iter().map(|it| it.name.as_str()), soon.len());
        UrlState { page: SECRETS.into(), namespaces: namespaces.clone(), query, ..UrlState::default() }.to_hash()
    };
    let noun = if soon.len() == 1 { "certificate" } else { "certificates" };
    Some(Line {
        id: "certificates".into(),
        health: if first.ends <= now { Health::Error } else { Health::Warning },
        reason: if first.ends <= now { "Expired".into() } else { "Expires soon".into() },
        text: format!("{} {noun}", soon.len()),
        count: soon.len(),
        hash,
        named,
        more: soon.len().saturating_sub(NAMED),
    })
}

/// All where they are too many to be named.
fn names_query<'a>(names: impl Iterator<Item = &'a str>, count: usize) -> String {
    if count > QUERIED {
        return String::new();
    }
    ["name=(", &names.collect::<Vec<_>>().join("|"), ")"].concat()
}

fn name_of(key: &str) -> &str {
    key.split_once('/').map_or(key, |(_, name)| name)
}

/// In quotes where the language of queries needs them.
fn quoted(word: &str) -> String {
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-._:/".contains(c));
    if is_plain && !word.is_empty() { word.into() } else { ["\"", &word.replace('"', ""), "\""].concat() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::parse_time;
    use crate::view::Query;

    fn problem(reason: &'static str, health: Health, detail: &str) -> Problem {
        Problem { reason: reason.into(), health, detail: detail.into(), from: None }
    }

    #[test]
    fn lines_stand_by_how_bad_they_are_and_lead_to_what_they_tell_of() {
        let mut lines = Lines::default();
        let crash = problem("CrashLoopBackOff", Health::Error, "");
        let short = problem("Short of replicas", Health::Warning, "2 of 5");
        lines.add(Topic::Deployments, "shop/web", &short);
        for at in 0..5 {
            lines.add(Topic::Pods, &format!("shop/web-{at}"), &crash);
        }
        lines.add(Topic::Pods, "shop/init", &problem("Init:0/2", Health::Progressing, ""));
        lines.add(Topic::Nodes, "n1", &problem("Disk pressure", Health::Warning, ""));
        lines.add(Topic::Nodes, "n2", &problem("Disk pressure", Health::Warning, ""));
        let lines = lines.finish(&BTreeSet::from(["shop".into()]));
        let told: Vec<_> = lines.iter().map(|it| (&*it.reason, &*it.text, &*it.hash)).collect();
        let expected = [
            ("CrashLoopBackOff", "5 pods", "#/pods?namespaces=shop&query=status%3DCrashLoopBackOff"),
            ("Disk pressure", "2 nodes", "#/nodes?query=name%3D%28n1%7Cn2%29"),
            ("Short of replicas", "1 deployment", "#/deployments.apps?namespaces=shop&object=shop/web"),
            ("Init:0/2", "1 pod", "#/pods?namespaces=shop&object=shop/init"),
        ];
        assert_eq!(told, expected);
        assert_eq!((lines[0].named.len(), lines[0].more), (3, 2));
        let first = &lines[2].named[0];
        assert_eq!((&*first.text, &*first.detail), ("shop/web", "2 of 5"));
        assert_eq!(first.hash, "#/deployments.apps?namespaces=shop&object=shop/web");
        for line in lines {
            assert_eq!(Query::parse(&UrlState::parse(&line.hash).query).errors(), []);
        }
    }

    #[test]
    fn warnings_of_the_last_hour_are_told_by_reason() {
        let now = parse_time("2026-11-29T12:00:00Z").unwrap();
        let mut events = EventGroups::default();
        for (key, pod, reason, seen, count) in [
            ("shop/a", "web-0", "BackOff", "2026-11-29T11:59:00Z", 8),
            ("shop/b", "web-1", "BackOff", "2026-11-29T11:30:00Z", 2),
            ("shop/c", "web-2", "Unhealthy", "2026-11-29T10:30:00Z", 9),
        ] {
            let kind = if pod == "web-1" { "Unknown" } else { "Pod" };
            let about = json!({ "apiVersion": "v1", "kind": kind, "namespace": "shop", "name": pod });
            let event = json!({ "metadata": { "name": "x" }, "involvedObject": about, "type": "Warning",
                "reason": reason, "lastTimestamp": seen, "count": count });
            events.upsert(key, &serde_json::from_value(event).unwrap());
        }
        let told = |namespaces: &[&str]| {
            let namespaces = namespaces.iter().map(|it| (*it).to_owned()).collect();
            let mut lines = Lines::default();
            lines.add_warnings(&events, &namespaces, None, now);
            lines.finish(&namespaces)
        };
        let lines = told(&[]);
        assert_eq!(lines.len(), 1);
        assert_eq!((&*lines[0].reason, &*lines[0].text), ("BackOff", "10 warnings"));
        assert_eq!(lines[0].hash, "#/grouped-events?query=reason%3DBackOff&type=Warning");
        let named: Vec<_> = lines[0].named.iter().map(|it| (&*it.text, &*it.detail)).collect();
        assert_eq!(named, [("shop/web-0", "× 8"), ("shop/web-1", "× 2")]);
        assert_eq!(lines[0].named[0].hash, "#/pods?object=shop/web-0");
        let events = "#/grouped-events?namespaces=shop&query=reason%3DBackOff%20name%3Dweb-1&type=Warning";
        assert_eq!(lines[0].named[1].hash, events);
        assert!(told(&["media"]).is_empty());
    }

    #[test]
    fn certificates_are_told_of_a_month_before_they_end() {
        let now = parse_time("2026-11-29T12:00:00Z").unwrap();
        let certificate = |name: &str, ends: &str| {
            let ends = parse_time(ends).unwrap();
            Certificate { namespace: "shop".into(), name: name.into(), ends }
        };
        let all = [
            certificate("later", "2027-06-01T00:00:00Z"),
            certificate("soon", "2026-12-09T12:00:00Z"),
            certificate("over", "2026-11-28T12:00:00Z"),
        ];
        let line = certificate_line(&all, &BTreeSet::new(), now).unwrap();
        assert_eq!((&*line.reason, &*line.text, line.health), ("Expired", "2 certificates", Health::Error));
        let named: Vec<_> = line.named.iter().map(|it| (&*it.text, &*it.detail)).collect();
        assert_eq!(named, [("shop/over", "expired 24h ago"), ("shop/soon", "in 10d")]);
        assert_eq!(line.named[1].hash, "#/secrets?object=shop/soon");
        assert_eq!(certificate_line(&all[..1], &BTreeSet::new(), now), None);
        assert_eq!(certificate_line(&all, &BTreeSet::from(["media".into()]), now), None);
    }

    #[test]
    fn words_that_are_no_words_of_a_query_are_quoted() {
        for (word, text) in [("Error", "Error"), ("ExitCode:1", "ExitCode:1"), ("a b", "\"a b\""), ("a|b\"", "\"a|b\"")]
        {
            assert_eq!(quoted(word), text);
        }
    }
}
