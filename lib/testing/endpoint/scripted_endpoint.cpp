#include <weft/testing/scripted_endpoint.hpp>

#include "scripted_endpoint_answers.hpp"
#include "scripted_endpoint_record.hpp"
#include "scripted_endpoint_script.hpp"
#include "scripted_endpoint_server.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft::testing {

struct scripted_endpoint::impl {
    explicit impl(const scripted_endpoint_options& options)
        : is_plain{options.transport() == scripted_transport::plain},
          record{options.requests_kept_max()}, answers{options, script, record},
          server{options, answers, record}
    {
    }

    bool is_plain;
    std::shared_ptr<scripted_endpoint_script> script = std::make_shared<scripted_endpoint_script>();
    scripted_endpoint_record record;
    scripted_endpoint_answers answers;
    scripted_endpoint_server server;  // last, so that its OS thread ends first
};

scripted_endpoint::scripted_endpoint(const scripted_endpoint_options& options)
    : impl_{std::make_unique<impl>(options)}
{
}

scripted_endpoint::~scripted_endpoint() = default;

scripted_endpoint_rule scripted_endpoint::when(scripted_endpoint_match match)
{
    return {impl_->script, impl_->script->add_rule(std::move(match))};
}

std::string scripted_endpoint::url() const
{
    return (impl_->is_plain ? "http://localhost:" : "https://localhost:") + std::to_string(port()) +
           "/v1";
}

std::uint16_t scripted_endpoint::port() const noexcept { return impl_->server.port(); }

const std::string& scripted_endpoint::ca_pem() const noexcept { return impl_->server.ca_pem(); }

scripted_endpoint_counts scripted_endpoint::counts() const { return impl_->record.counts(); }

std::vector<scripted_endpoint_request> scripted_endpoint::requests() const
{
    return impl_->record.requests();
}

std::vector<scripted_endpoint_early_close> scripted_endpoint::early_closes() const
{
    return impl_->record.early_closes();
}

bool scripted_endpoint::wait_until(
    const std::function<bool(const scripted_endpoint_counts&)>& is_reached,
    std::chrono::nanoseconds patience) const
{
    return impl_->record.wait_until(is_reached, patience);
}

// Of all rules and requests at once: a test that shows one mistake a run is mended one run at a time.
std::string scripted_endpoint::complaints() const
{
    return impl_->record.unanswered() + impl_->script->unused();
}

void scripted_endpoint::check_complete() const
{
    const std::string found = complaints();
    if (!found.empty()) throw error{errc::script_exhausted, url(), found};
}

void scripted_endpoint::drop_connections() { impl_->server.drop_connections(); }

scripted_endpoint_rule::scripted_endpoint_rule(std::shared_ptr<scripted_endpoint_script> script,
                                               std::size_t index)
    : script_{std::move(script)}, index_{index}
{
}

scripted_endpoint_rule& scripted_endpoint_rule::reply(scripted_reply reply)
{
    return this->reply([reply = std::move(reply)](const scripted_endpoint_request&) {
        return reply;
    });
}

scripted_endpoint_rule& scripted_endpoint_rule::reply(reply_function make)
{
    script_->add_reply(index_, std::move(make), false);
    return *this;
}

scripted_endpoint_rule& scripted_endpoint_rule::reply_always(scripted_reply reply)
{
    return reply_always([reply = std::move(reply)](const scripted_endpoint_request&) {
        return reply;
    });
}

scripted_endpoint_rule& scripted_endpoint_rule::reply_always(reply_function make)
{
    script_->add_reply(index_, std::move(make), true);
    return *this;
}

}  // namespace weft::testing
