#include "scripted_reply_reading.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

namespace reply_test {

reply_setting streaming()
{
    reply_setting setting;
    setting.naming = {"chatcmpl-1", "m", 7};
    setting.request_id = "req_1";
    setting.wants_stream = true;
    return setting;
}

reply_setting in_one_document()
{
    reply_setting setting = streaming();
    setting.wants_stream = false;
    return setting;
}

wire_plan plan(const scripted_reply& reply, const reply_setting& setting)
{
    return plan_reply(reply.parts(), setting);
}

std::vector<std::string> writes(const wire_plan& plan)
{
    std::vector<std::string> all;
    std::size_t begin = 0;
    for (const wire_step& step : plan.steps) {
        all.push_back(plan.bytes.substr(begin, step.end - begin));
        begin = step.end;
    }
    return all;
}

std::vector<std::chrono::nanoseconds> waits(const wire_plan& plan)
{
    std::vector<std::chrono::nanoseconds> all;
    for (const wire_step& step : plan.steps) all.push_back(step.wait);
    return all;
}

std::size_t pieces(const wire_plan& plan)
{
    std::size_t sum = 0;
    for (const wire_step& step : plan.steps) sum += step.pieces;
    return sum;
}

// What stands in the one chunk of a write.
static std::string chunk(const std::string& write)
{
    const std::size_t line = write.find("\r\n");
    const std::size_t length = std::stoul(write.substr(0, line), nullptr, 16);
    BOOST_REQUIRE(write.size() == line + 2 + length + 2);
    BOOST_REQUIRE(write.ends_with("\r\n"));
    return write.substr(line + 2, length);
}

std::vector<std::string> chunks(const wire_plan& plan)
{
    std::vector<std::string> all;
    const std::vector<std::string> written = writes(plan);
    for (std::size_t i = 1; i < written.size(); ++i)
        if (written[i] != "0\r\n\r\n") all.push_back(chunk(written[i]));
    return all;
}

boost::json::value event(const std::string& chunk)
{
    BOOST_REQUIRE(chunk.starts_with("data: "));
    BOOST_REQUIRE(chunk.ends_with("\n\n"));
    return boost::json::parse(chunk.substr(6));
}

static std::string delta(const std::string& chunk)
{
    if (chunk == "data: [DONE]\n\n") return "[DONE]";
    const boost::json::value value = event(chunk);
    const boost::json::array& choices = value.at("choices").as_array();
    if (choices.empty()) return boost::json::serialize(value.at("usage"));
    const boost::json::value& reason = choices[0].at("finish_reason");
    const std::string text = boost::json::serialize(choices[0].at("delta"));
    return reason.is_null() ? text : text + " " + reason.as_string().c_str();
}

std::vector<std::string> deltas(const wire_plan& plan)
{
    std::vector<std::string> all;
    for (const std::string& chunk : chunks(plan)) all.push_back(delta(chunk));
    return all;
}

std::string arguments_of(const wire_plan& plan, std::int64_t index)
{
    std::string all;
    for (const std::string& chunk : chunks(plan)) {
        if (chunk == "data: [DONE]\n\n") continue;
        const boost::json::value choice = event(chunk).at("choices").at(0);
        const auto* const calls = choice.at("delta").as_object().if_contains("tool_calls");
        if (!calls || calls->at(0).at("index").as_int64() != index) continue;
        all += calls->at(0).at("function").at("arguments").as_string().c_str();
    }
    return all;
}

boost::json::value document(const wire_plan& plan)
{
    return boost::json::parse(plan.bytes.substr(plan.bytes.find("\r\n\r\n") + 4));
}

void check_equal(const std::vector<std::string>& is, const std::vector<std::string>& should_be)
{
    BOOST_CHECK_EQUAL_COLLECTIONS(is.begin(), is.end(), should_be.begin(), should_be.end());
}

}  // namespace reply_test
