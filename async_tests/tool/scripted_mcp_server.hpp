#pragma once

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/stream.hpp>
#include <weft/base/json.hpp>
#include <weft/tool/mcp/mcp_transport.hpp>
#include <weft/tool/mcp_client.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/** An MCP server in memory, in virtual time: a function answers each message, with as many lines as it likes. */
namespace scripted_mcp {

using weft::json_rpc_message;

/** Something that a server does: it writes a line, or ends. */
struct step {
    std::chrono::nanoseconds delay{};  // after the message that it follows
    std::string line{};                // empty: the server ends
};
using steps = std::vector<step>;

/** What a test sees and decides. */
struct server_script {
    /** What the server does when it gets a message. */
    std::function<steps(const weft::mcp_outgoing&)> on_message;
    std::vector<weft::mcp_outgoing> received;
    int starts = 0;
    int closes = 0;

    /** How many messages of a method came. */
    [[nodiscard]] int count(std::string_view method) const
    {
        int found = 0;
        for (const weft::mcp_outgoing& each : received) found += each.message.method() == method;
        return found;
    }
    [[nodiscard]] const json_rpc_message* last(std::string_view method) const
    {
        for (auto each = received.rbegin(); each != received.rend(); ++each)
            if (each->message.method() == method) return &each->message;
        return nullptr;
    }
};

/** A line that answers `to` with a result. */
inline std::string result_line(const weft::mcp_outgoing& to, std::string_view json)
{
    return json_rpc_message::result(*to.message.id(), weft::parse_json(json)).text();
}

inline std::string error_line(const weft::mcp_outgoing& to, std::int64_t code, std::string message)
{
    weft::json_rpc_error why;
    why.code = code;
    why.message = std::move(message);
    return json_rpc_message::error(to.message.id(), std::move(why)).text();
}

inline steps result(const weft::mcp_outgoing& to, std::string_view json, std::chrono::nanoseconds delay = {})
{
    return {{delay, result_line(to, json)}};
}

class transport final : public weft::mcp_transport {
public:
    explicit transport(std::shared_ptr<server_script> script) : script_{std::move(script)} {}

    weft::mcp_wire wire() const noexcept override { return weft::mcp_wire::pipe; }
    const std::string& label() const noexcept override { return label_; }

    weft::task<void> open() override
    {
        ++script_->starts;
        output_ = std::make_shared<weft::stream<step>>(1000);
        co_return;
    }
    weft::task<void> listen(weft::mcp_inbox& inbox, weft::mcp_agreement) override
    {
        const auto output = output_;
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope work{context};
        work.spawn(read(output, inbox, work));
        co_await work.join();
    }
    weft::task<void> send(weft::mcp_inbox&, weft::mcp_outgoing out) override
    {
        script_->received.push_back(out);
        if (!script_->on_message) co_return;
        for (step& each : script_->on_message(out)) {
            const bool is_taken = output_->try_push(std::move(each));
            BOOST_REQUIRE(is_taken);
        }
    }
    weft::task<void> close(weft::mcp_agreement) override
    {
        ++script_->closes;
        co_return;
    }

private:
    static weft::task<void> read(std::shared_ptr<weft::stream<step>> output, weft::mcp_inbox& inbox, weft::scope& work)
    {
        for (;;) {
            std::optional<step> next = co_await output->pop();
            if (!next) co_return;
            work.spawn(deliver(std::move(*next), inbox));
        }
    }
    static weft::task<void> deliver(step what, weft::mcp_inbox& inbox)
    {
        if (what.delay.count() > 0) co_await weft::sleep_for(what.delay);
        if (what.line.empty()) throw weft::error{weft::errc::connection_lost, "srv", "the server ended"};
        inbox.on_message(json_rpc_message::parse(what.line));
    }

    std::shared_ptr<server_script> script_;
    std::string label_ = "srv";
    std::shared_ptr<weft::stream<step>> output_;
};

/** What a plain server of the legacy era says to the messages that every client sends first; nothing to others. */
inline std::optional<steps> handshake(const weft::mcp_outgoing& to, std::string_view capabilities)
{
    const std::string& method = to.message.method();
    if (method == "server/discover") return steps{{{}, error_line(to, -32601, "Method not found")}};
    if (method == "initialize")
        return result(to, R"({"protocolVersion":"2025-11-25","capabilities":)" + std::string{capabilities} +
                              R"(,"serverInfo":{"name":"srv","version":"1"}})");
    if (!to.message.id()) return steps{};
    return std::nullopt;
}

inline constexpr std::string_view all_capabilities =
    R"({"tools":{"listChanged":true},"resources":{},"prompts":{},"logging":{}})";

/** A server of the legacy era that answers requests with `answer`. */
inline std::shared_ptr<server_script> legacy_server(std::function<steps(const weft::mcp_outgoing&)> answer,
                                                    std::string_view capabilities = all_capabilities)
{
    auto script = std::make_shared<server_script>();
    script->on_message = [answer = std::move(answer), can = std::string{capabilities}](const weft::mcp_outgoing& to) {
        if (auto first = handshake(to, can)) return *first;
        return answer(to);
    };
    return script;
}

/** A server of the modern era. */
inline std::shared_ptr<server_script> modern_server(std::function<steps(const weft::mcp_outgoing&)> answer,
                                                    std::string_view capabilities = R"({"tools":{}})")
{
    auto script = std::make_shared<server_script>();
    script->on_message = [answer = std::move(answer), can = std::string{capabilities}](const weft::mcp_outgoing& to) {
        if (to.message.method() == "server/discover")
            return result(to, R"({"supportedVersions":["2026-07-28"],"capabilities":)" + can + "}");
        return answer(to);
    };
    return script;
}

inline std::unique_ptr<weft::mcp_transport> connected_to(const std::shared_ptr<server_script>& script)
{
    return std::make_unique<transport>(script);
}

inline boost::json::object object_of(std::string_view json)
{
    return weft::parse_json(json).get_object();
}

/** The code of the error that a task ends with; nothing if it succeeds. */
template <class T>
weft::task<std::optional<weft::errc>> error_of(weft::task<T> work)
{
    try {
        co_await std::move(work);
    } catch (const weft::error& e) {
        co_return e.code();
    }
    co_return std::nullopt;
}

}  // namespace scripted_mcp
