// Sample 21, a durable service: tickets that come in are answered on all cores. What the process has
// not finished when it ends, or dies, the next one goes on with. Here both are objects in one program.

#include <weft/weft.hpp>

#include <weft/asio.hpp>
#include <weft/engine/durable_service.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/asio/use_future.hpp>

#include <chrono>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> ticket{"ticket"};
inline constexpr weft::state_key<std::string> draft{"draft"};
inline constexpr weft::state_key<std::string> mail{"mail"};

weft::task<void> write_draft(weft::node_context& ctx)
{
    co_await weft::sleep_for(20ms);  // a model would answer here
    ctx.set(draft, "About " + ctx.get(ticket) + ": we look into it.");
}

weft::task<void> send_mail(weft::node_context& ctx)
{
    co_await weft::sleep_for(20ms);
    ctx.set(mail, ctx.get(draft));
}

std::shared_ptr<const weft::durable_graphs> make_graphs()
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(weft::graph_builder{"ticket"}
                    .state(ticket, draft, mail)
                    .node("draft", write_draft)
                    .node("mail", send_mail)
                    .edge(weft::start, "draft")
                    .edge("draft", "mail")
                    .build());
    return graphs;
}

// [service]
// A ticket's name is its thread and its idempotency key: handed in twice, it is answered once.
std::future<weft::run_result> hand_in(weft::durable_service& service, const std::string& name)
{
    weft::run_request request{name};
    request.input(ticket, name);
    weft::durable_request once{std::move(request)};
    once.idempotent(name);
    return service.async_submit(std::move(once), boost::asio::use_future);
}

// The end in order: each run comes to the end of its node and is given back to the store. A service
// that lives until SIGTERM calls `service.run_until_signal()` instead.
void first_process(weft::checkpoint_store& store, const std::vector<std::string>& tickets)
{
    weft::durable_service service{store, make_graphs()};
    std::vector<std::future<weft::run_result>> answers;
    for (const std::string& name : tickets) answers.push_back(hand_in(service, name));
    const weft::shutdown_report report = service.close();
    std::cout << "The first process ends " << (report.is_clean() ? "in order" : "late") << ".\n";
}

// The next process takes over what is left; a ticket that is handed in again gets its answer.
std::size_t second_process(weft::checkpoint_store& store, const std::vector<std::string>& tickets)
{
    weft::durable_service service{store, make_graphs()};
    std::vector<std::future<weft::run_result>> answers;
    for (const std::string& name : tickets) answers.push_back(hand_in(service, name));
    std::size_t sent = 0;
    for (std::future<weft::run_result>& each : answers) sent += each.get().state.find(mail) != nullptr;
    return sent;
}
// [/service]

int main()
{
    weft::memory_store store;
    const std::vector<std::string> tickets{"the roof", "the heating", "the lift", "the garden"};
    first_process(store, tickets);
    const std::size_t sent = second_process(store, tickets);
    std::cout << sent << " mails sent\n";
    return sent == tickets.size() ? 0 : 1;
}
