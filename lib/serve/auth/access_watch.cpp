#include "access_watch.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

constexpr std::chrono::seconds access_looked_every{2};
constexpr const char* key_is_over = "the API key was revoked, or has expired";

}  // namespace

struct access_watch::open_answers {
    std::set<place*> all;
};

access_watch::place::place(std::shared_ptr<open_answers> among, credential by, end_function at_end)
    : among_{std::move(among)}, by_{std::move(by)}, at_end_{std::move(at_end)}
{
    among_->all.insert(this);
}

access_watch::place::~place() { among_->all.erase(this); }

void access_watch::place::end(const std::string& why)
{
    if (!why_.empty()) return;
    why_ = why;
    at_end_(why_);
}

access_watch::access_watch(serial_loop& loop, document_store& documents, problem_function problem)
    : loop_{loop}, keys_{documents}, problem_{std::move(problem)}, open_{std::make_shared<open_answers>()}
{
}

std::unique_ptr<access_watch::place> access_watch::enter(credential by, end_function at_end)
{
    return std::make_unique<place>(open_, std::move(by), std::move(at_end));
}

void access_watch::end_unless(const std::function<bool(const credential& by)>& passes, const std::string& why)
{
    // What is told to end may go at once, and others with it.
    const std::set<place*> known = open_->all;
    for (place* const each : known)
        if (open_->all.contains(each) && !passes(each->by_)) each->end(why);
}

void access_watch::end_all(credential::kind what, const std::string& name, const std::string& why)
{
    end_unless([&](const credential& by) { return by.what != what || by.name != name; }, why);
}

std::size_t access_watch::size() const noexcept { return open_->all.size(); }

task<void> access_watch::look()
{
    const auto now = loop_.clock().system_now();
    end_unless([now](const credential& by) { return !by.expires || now < *by.expires; }, "the token has expired");
    std::set<std::string> hashes;
    for (const place* const each : open_->all)
        if (each->by_.what == credential::kind::api_key && each->why_.empty()) hashes.insert(each->by_.name);
    for (const std::string& hash : hashes) {
        std::string name = hash;
        const std::optional<api_key> found = co_await keys_.find(std::move(name));
        if (!found) end_all(credential::kind::api_key, hash, key_is_over);
    }
}

task<void> access_watch::work()
{
    for (;;) {
        co_await sleep_for(access_looked_every);
        if (open_->all.empty()) continue;
        std::string problem;
        try {
            co_await look();
        } catch (const error& e) {
            if (e.code() == errc::cancelled) throw;
            problem = e.what();
        }
        // A store that does not answer says nothing about its keys.
        if (!problem.empty() && problem_) problem_(problem);
    }
}

}  // namespace weft::serve_detail
