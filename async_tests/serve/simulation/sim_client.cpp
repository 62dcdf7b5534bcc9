#include "sim_client.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/net/sse_parser.hpp>

#include <boost/json/serialize.hpp>

#include <charconv>
#include <stdexcept>
#include <utility>

namespace server_simulation {

namespace {

using boost::json::object;
using namespace std::chrono_literals;

constexpr int tries_max = 400;
/** After it a request whose connection broke has been carried out, or never will be. */
constexpr std::chrono::milliseconds afterglow{150};

[[noreturn]] void give_up(const std::string& what)
{
    throw std::runtime_error{what + ": nothing came of it after " + std::to_string(tries_max) + " tries"};
}

weft::http_client_options patient()
{
    weft::http_client_options options;
    options.timeouts.first_byte = 5s;
    options.timeouts.gap = 20s;
    return options;
}

std::uint64_t number_of(std::string_view text)
{
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

sim_client::sim_client(sim_world& world, std::string tenant, std::string thread)
    : world_{world}, tenant_{std::move(tenant)}, thread_{std::move(thread)}, client_{world.network().client(patient())}
{
}

std::string sim_client::next_tag() { return '~' + tenant_ + '.' + thread_ + '.' + std::to_string(++runs_); }

weft::task<void> sim_client::breathe()
{
    const std::chrono::milliseconds pause = 5ms + world_.some_ms(40);
    co_await weft::sleep_for(pause);
}

weft::http_request sim_client::request_to(std::string method, std::string target, std::optional<object> body) const
{
    weft::http_request request{std::move(method), weft::url{"http://localhost" + target}};
    request.header("X-Tenant", tenant_);
    if (body) request.body(boost::json::serialize(*body), "application/json");
    return request;
}

weft::task<std::optional<sim_answer>> sim_client::ask(std::string method, std::string target,
                                                      std::optional<object> body)
{
    const std::string what = tenant_ + ' ' + method + ' ' + target;
    weft::http_request request = request_to(std::move(method), std::move(target), std::move(body));
    std::optional<sim_answer> answer;
    try {
        weft::http_response response = co_await client_.send(std::move(request));
        sim_answer got;
        got.status = response.status();
        got.headers = response.head().headers;
        const std::string text = co_await response.read_all(4 << 20);
        if (!text.empty()) got.body = weft::parse_json(text);
        answer = std::move(got);
    } catch (const weft::error& e) {
        if (e.code() == weft::errc::cancelled || e.code() == weft::errc::invalid_json) throw;
    }
    world_.note(what + " -> " + (answer ? std::to_string(answer->status) : "broken"));
    co_return answer;
}

weft::task<sim_answer> sim_client::insist(std::string method, std::string target, std::optional<object> body)
{
    for (int i = 0; i < tries_max; ++i) {
        std::optional<sim_answer> answer = co_await ask(method, target, body);
        if (answer && answer->status < 500) co_return std::move(*answer);
        co_await breathe();
    }
    give_up(method + ' ' + target);
}

object sim_client::body_of(std::string tag, std::string graph, object with)
{
    with["assistant_id"] = graph;
    with["input"] = object{{"who", tag}};
    with["metadata"] = object{{"tag", tag}};
    with["if_not_exists"] = "create";
    return with;
}

weft::task<std::string> sim_client::find(std::string tag)
{
    co_await weft::sleep_for(afterglow);
    const sim_answer listed = co_await insist("GET", path("/runs?limit=1000"));
    if (listed.status == 404) co_return std::string{};  // there is no thread yet
    for (const boost::json::value& run : listed.body.as_array())
        if (run.at("metadata").at("tag").as_string() == tag) co_return std::string{run.at("run_id").as_string()};
    co_return std::string{};
}

weft::task<std::string> sim_client::begin(std::string tag, std::string graph, object with)
{
    const object body = body_of(tag, std::move(graph), std::move(with));
    for (int i = 0; i < tries_max; ++i) {
        const std::optional<sim_answer> answer = co_await ask("POST", path("/runs"), body);
        if (answer && answer->status == 409) co_return std::string{};
        std::string id;
        if (answer && answer->status == 200) id = answer->body.at("run_id").as_string();
        else if (answer && answer->status < 500)
            throw std::runtime_error{"a run is refused: " + boost::json::serialize(answer->body)};
        else id = co_await find(tag);
        if (!id.empty()) {
            world_.make_known(tenant_, thread_, id);
            co_return id;
        }
        co_await breathe();
    }
    give_up("beginning " + tag);
}

/** Reads a stream as far as it goes. @return  True if it came to its end in order. */
weft::task<bool> sim_client::read_stream(weft::http_request request, stream_judge& judge, int& status)
{
    weft::sse_parser parser;
    status = 0;
    try {
        weft::http_response response = co_await client_.send(std::move(request));
        status = response.status();
        if (status != 200) co_return false;
        for (;;) {
            const std::string_view bytes = co_await response.read_some();
            if (bytes.empty()) break;
            parser.feed(bytes);
            while (const weft::sse_event* const event = parser.next()) {
                std::string wrong = judge.see(number_of(event->id), event->type, event->data);
                if (!wrong.empty()) world_.violation(std::move(wrong));
            }
        }
    } catch (const weft::error& e) {
        if (e.code() == weft::errc::cancelled) throw;
        co_return false;
    }
    co_return true;
}

/** A stream or a wait has come to its end in order: its run must have. */
weft::task<bool> sim_client::has_ended(std::string run, std::string_view how)
{
    const std::optional<weft::run_record> record = co_await world_.store().find_run(*weft::run_id::parse(run));
    if (record && weft::is_over(record->phase)) co_return true;
    world_.violation(std::string{how} + " of run " + run + " ended, and the store has it as " +
                     (record ? std::string{name_of(record->phase)} : "unknown"));
    co_return false;
}

weft::task<void> sim_client::follow(std::string run, stream_judge& judge)
{
    for (int i = 0; i < tries_max; ++i) {
        weft::http_request request = request_to(
            "GET", path("/runs/" + run + "/stream?stream_mode=updates,values,messages-tuple,custom,tasks"));
        if (judge.last_id() > 0) request.header("Last-Event-ID", std::to_string(judge.last_id()));
        int status = 0;
        const bool is_whole = co_await read_stream(std::move(request), judge, status);
        world_.note(tenant_ + " follows " + run + " -> " + std::to_string(status) + (is_whole ? " whole" : " broken") +
                    " at " + std::to_string(judge.last_id()));
        if (status != 0 && status != 200 && status < 500)
            world_.violation("joining run " + run + " is refused with " + std::to_string(status));
        bool is_over = false;
        if (is_whole) is_over = co_await has_ended(run, "the stream");
        if (is_over) co_return;
        co_await breathe();
    }
    give_up("following " + run);
}

weft::task<std::string> sim_client::stream(std::string tag, std::string graph, object with, stream_judge& judge)
{
    with["stream_mode"] = boost::json::array{"updates", "values", "messages-tuple", "custom", "tasks"};
    const object body = body_of(tag, std::move(graph), std::move(with));
    for (int i = 0; i < tries_max; ++i) {
        int status = 0;
        weft::http_request request = request_to("POST", path("/runs/stream"), body);
        const bool is_whole = co_await read_stream(std::move(request), judge, status);
        world_.note(tenant_ + " streams " + tag + " -> " + std::to_string(status) + (is_whole ? " whole" : " broken") +
                    " at " + std::to_string(judge.last_id()));
        if (status == 409) co_return std::string{};
        std::string run = judge.run();
        if (run.empty()) run = co_await find(tag);
        if (!run.empty()) {
            world_.make_known(tenant_, thread_, run);
            bool is_over = false;
            if (is_whole) is_over = co_await has_ended(run, "the stream");
            if (!is_over) co_await follow(run, judge);
            co_return run;
        }
        co_await breathe();
    }
    give_up("streaming " + tag);
}

weft::task<std::string> sim_client::settle(std::string run)
{
    for (int i = 0; i < tries_max; ++i) {
        const sim_answer shown = co_await insist("GET", path("/runs/" + run));
        if (shown.status != 200) {
            world_.violation("run " + run + " of " + tenant_ + " is gone: " + std::to_string(shown.status));
            co_return std::string{};
        }
        const std::string status{shown.body.at("status").as_string()};
        if (status != "pending" && status != "running") co_return status;
        co_await breathe();
    }
    give_up("waiting for the end of " + run);
}

weft::task<void> sim_client::wait(std::string tag)
{
    std::optional<sim_answer> answer = co_await ask("POST", path("/runs/wait"), body_of(tag, "talk", {}));
    std::string run;
    if (answer)
        if (const auto place = answer->headers.find("content-location")) run = place->substr(place->rfind('/') + 1);
    while (run.empty()) {
        run = co_await find(tag);
        if (run.empty()) run = co_await begin(tag, "talk");
    }
    const bool is_there = answer && answer->status == 200;
    bool is_over = false;
    if (is_there) is_over = co_await has_ended(run, "the wait");
    if (!is_over) {
        (void)co_await settle(run);
        answer = co_await insist("GET", path("/runs/" + run + "/join"));
    }
    const std::string text = boost::json::serialize(answer->body);
    const std::string foreign = foreign_tag_in(text, tag.substr(0, tag.rfind('.') + 1));
    if (!foreign.empty()) world_.violation("the wait of " + tag + " tells of " + foreign);
    if (text.find(tag + ":s4") == text.npos)
        world_.violation("the wait of " + tag + " ends without its values: " + text);
}

weft::task<std::vector<std::string>> sim_client::read_said()
{
    const sim_answer state = co_await insist("GET", path("/state"));
    std::vector<std::string> result;
    if (state.status != 200) co_return result;
    const boost::json::value* const list = state.body.at("values").as_object().if_contains("said");
    if (!list || !list->is_array()) co_return result;
    for (const boost::json::value& one : list->get_array()) result.emplace_back(one.as_string());
    co_return result;
}

}  // namespace server_simulation
