#include "audit_trail.hpp"

#include <weft/base/error.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t writes_max = 1000;             // at once
constexpr token_rate refused_rate{10, 10};
constexpr std::size_t target_bytes_max = 512;        // of what a caller who is not known may write here

}  // namespace

audit_trail::audit_trail(serial_loop& loop, document_store& documents, std::chrono::hours lifetime,
                         problem_function problem)
    : loop_{loop}, log_{documents}, lifetime_{lifetime}, problem_{std::move(problem)},
      refused_{refused_rate, loop.now()}
{
}

void audit_trail::tell(const principal& who, std::string action, std::string_view target, std::string_view peer)
{
    boost::json::object detail;
    detail["peer"] = peer;
    add({.tenant = who.tenant,
         .actor = who.name,
         .action = std::move(action),
         .target = std::string{target.substr(0, target_bytes_max)},
         .detail = boost::json::serialize(detail),
         .at = {}});
}

void audit_trail::tell_refused(std::string_view why, std::string_view target, std::string_view peer)
{
    if (refused_.ready_at(1) > loop_.now()) {
        ++unwritten_;
        return;
    }
    refused_.take(1, loop_.now());
    boost::json::object detail;
    detail["peer"] = peer;
    detail["why"] = why;
    if (const std::size_t others = std::exchange(unwritten_, 0); others > 0) detail["others_before"] = others;
    add({.tenant = {},
         .actor = {},
         .action = "server.refuse",
         .target = std::string{target.substr(0, target_bytes_max)},
         .detail = boost::json::serialize(detail),
         .at = {}});
}

void audit_trail::add(audit_entry entry)
{
    if (!background_ || lifetime_.count() <= 0) return;
    if (under_way_ >= writes_max) {
        if (problem_) problem_("the store is too slow: an entry about " + entry.action + " is lost");
        return;
    }
    background_->spawn(write(*this, std::move(entry)));
}

task<void> audit_trail::write(audit_trail& self, audit_entry entry)
{
    ++self.under_way_;
    std::string problem;
    try {
        co_await self.log_.add(std::move(entry), self.lifetime_);
    } catch (const error& e) {
        problem = e.what();
    }
    --self.under_way_;
    if (!problem.empty() && self.problem_) self.problem_(problem);
}

}  // namespace weft::serve_detail
