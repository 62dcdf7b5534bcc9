#include "timer_claims.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

constexpr const char* claims_kind = "timer_claims";
constexpr const char* timers_member = "timers";
constexpr std::chrono::minutes claims_count_for{2};
constexpr std::chrono::seconds renewed_every{30};
constexpr std::size_t swept_claims_max = 100;

}  // namespace

std::string timer_claims::name_of(std::string_view tenant, std::string_view cron)
{
    return boost::json::serialize(boost::json::array{tenant, cron});
}

task<void> timer_claims::write(bool is_here)
{
    std::vector<document_change> changes(1);
    changes[0].key = {claims_kind, {}, server_};
    if (is_here) {
        boost::json::array timers;
        for (const std::string& name : own_) timers.emplace_back(name);
        changes[0].body = boost::json::serialize(boost::json::object{{timers_member, std::move(timers)}});
        const serial_loop& loop = co_await this_task::loop();
        changes[0].due = loop.clock().system_now() + claims_count_for;
    }
    (void)co_await documents_.write(std::move(changes));  // it expects nothing
}

task<void> timer_claims::claim(std::set<std::string> timers)
{
    const bool changes = timers != own_;
    own_ = std::move(timers);
    if (changes) co_await write(!own_.empty());
}

task<std::set<std::string>> timer_claims::of_others()
{
    (void)co_await documents_.erase_due(claims_kind, swept_claims_max);
    const serial_loop& loop = co_await this_task::loop();
    std::set<std::string> timers;
    document_query query{.kind = claims_kind};
    for (;;) {
        const document_page page = co_await documents_.search(query);
        for (const stored_document& each : page.documents) {
            const bool counts = each.key.id != server_ && each.due && *each.due > loop.clock().system_now();
            if (!counts) continue;
            const boost::json::value body = parse_json(each.body);
            const boost::json::value* const names = body.as_object().if_contains(timers_member);
            if (!names || !names->is_array()) continue;
            for (const boost::json::value& name : names->get_array())
                if (name.is_string()) timers.emplace(name.get_string());
        }
        if (page.next.empty()) co_return timers;
        query.after = page.next;
    }
}

task<void> timer_claims::work()
{
    for (;;) {
        co_await sleep_for(renewed_every);
        if (own_.empty()) continue;
        std::string problem;
        try {
            co_await write(true);
        } catch (const error& e) {
            if (e.code() == errc::cancelled) throw;
            problem = e.what();
        }
        if (!problem.empty() && problem_) problem_(problem);
    }
}

task<void> timer_claims::leave()
{
    if (own_.empty()) co_return;
    own_.clear();
    co_await write(false);
}

}  // namespace weft::serve_detail
