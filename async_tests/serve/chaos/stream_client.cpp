#include "stream_client.hpp"

#include "stream_course.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/trace/stored_run_event.hpp>
#include <weft/store/service_store.hpp>

#include <functional>
#include <string_view>
#include <utility>

namespace stream_chaos {

namespace {

/** An event of a run is told in up to so many frames, each with an id of its own. */
constexpr std::uint64_t ids_of_an_event = 16;
constexpr std::size_t events_a_read = 1'000;

using note_function = std::function<void(const std::string&)>;

/** A step is told again by the next attempt only, and only the one that had no checkpoint yet. */
std::size_t check_steps(const followed& seen, const note_function& note)
{
    std::size_t repeated = 0;
    int told = 0;
    std::uint64_t told_by = 0;
    for (const auto& [id, data] : seen.events) {
        if (!data.starts_with("updates ")) continue;
        const std::uint64_t attempt = id / ids_of_an_event >> 32;
        const int step = std::stoi(data.substr(data.find("\"s") + 2));
        const bool is_next = step == told + 1;
        const bool is_again = step == told && attempt > told_by;
        if (!is_next && !is_again) note("step " + std::to_string(step) + " came behind " + std::to_string(told));
        repeated += is_again ? 1 : 0;
        told = step;
        told_by = attempt;
    }
    if (told != steps_of_a_run) note(std::to_string(told) + " steps were told");
    return repeated;
}

}  // namespace

void followed::take(const weft::sse_event& event)
{
    if (event.type == "metadata") return;  // the run begins again
    if (event.type == "error") {
        failure = event.data;
        return;
    }
    const std::uint64_t id = std::stoull(std::string{event.id});
    is_in_order &= id > last;
    last = id;
    events[id] = std::string{event.type} + ' ' + std::string{event.data};
}

weft::http_request stream_request(std::uint16_t port, const std::string& thread, weft::run_id run,
                                  const followed& so_far)
{
    weft::http_request request{"GET", weft::url{"http://127.0.0.1:" + std::to_string(port) + "/threads/" + thread +
                                                "/runs/" + run.text() +
                                                "/stream?stream_mode=updates&stream_mode=messages-tuple"}};
    if (so_far.last > 0) request.header("Last-Event-ID", std::to_string(so_far.last));
    return request;
}

weft::task<void> read_stream(weft::http_request request, followed& into)
{
    weft::http_client client;
    weft::http_response response = co_await client.send(std::move(request));
    if (response.status() != 200) throw weft::error{weft::errc::connect_failed, "stream", "refused"};
    weft::sse_parser parser;
    for (;;) {
        const std::string_view bytes = co_await response.read_some();
        if (bytes.empty()) break;
        parser.feed(bytes);
        while (const weft::sse_event* const event = parser.next()) into.take(*event);
    }
    into.is_whole = true;
}

weft::task<std::set<std::uint64_t>> stored_ids(weft::postgres_store& store, weft::run_id run)
{
    weft::stored_event_reader reader{speaking_graph()};
    std::set<std::uint64_t> ids;
    std::uint64_t after = 0;
    for (std::size_t count = events_a_read; count == events_a_read;) {
        const weft::event_page page = co_await store.service().run_events().read(run, after, events_a_read);
        count = page.events.size();
        for (const weft::stored_event& each : page.events) {
            after = each.id;
            ids.insert(reader.read(each.data).id);
        }
    }
    co_return ids;
}

stream_verdict judge(const std::string& thread, const followed& seen, const followed& late,
                     const std::set<std::uint64_t>& stored)
{
    stream_verdict verdict;
    const note_function note = [&](const std::string& what) { verdict.wrong.push_back(thread + ": " + what); };
    if (!seen.failure.empty()) note("the run failed: " + seen.failure);
    if (!seen.is_in_order || !late.is_in_order) note("events out of order, or twice");
    for (const auto& [id, data] : late.events) {
        const auto found = seen.events.find(id);
        const bool is_missed = found == seen.events.end();
        if (is_missed && stored.contains(id / ids_of_an_event))
            note("event " + std::to_string(id) + " was missed: " + data);
        else if (!is_missed && found->second != data)
            note("event " + std::to_string(id) + " is not the same everywhere");
    }
    for (const auto& [id, data] : seen.events)
        if (stored.contains(id / ids_of_an_event) && !late.events.contains(id))
            note("event " + std::to_string(id) + " is gone: " + data);
    verdict.repeated = check_steps(seen, note);
    return verdict;
}

}  // namespace stream_chaos
