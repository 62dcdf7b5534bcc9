#pragma once

#include "stream_reader.hpp"

#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

/** What the options of a stream are in tests. */
inline weft::reply_options test_reply_options(const reading& how)
{
    weft::reply_options options;
    options.where = "model-x at test";
    options.model = "model-x";
    options.request_id = "req_1";
    options.id_seed = 1;
    options.limits = how.limits;
    return options;
}

inline const weft::secret_string test_key{"sk-TEST-0123456789abcdef"};

/** An event stream of these data. */
inline std::string stream_of(std::initializer_list<std::string_view> data)
{
    std::string body;
    for (const std::string_view json : data) body.append("data: ").append(json).append("\n\n");
    return body;
}

/** Reads bodies with readers of a provider as its model does, without a wire.
 *  @tparam Make   Makes a reader out of a `reading`. */
template <class Make>
class stream_under_test {
public:
    explicit stream_under_test(Make make) : make_{std::move(make)} {}

    [[nodiscard]] outcome read(std::string_view body, const reading& how = {}) const
    {
        return observe(how, [&](weft::model_detail::reply_reader& reader, weft::chat_sink& sink) {
            weft::sse_parser parser{{.dialect = weft::sse_dialect::llm}};
            return read_in_pieces(body, parser, reader, sink, how);
        });
    }

    /** Reads a body that is one JSON document. */
    [[nodiscard]] outcome read_document(std::string_view body, const reading& how = {}) const
    {
        return observe(how, [&](weft::model_detail::reply_reader& reader, weft::chat_sink& sink) {
            reader.feed_document(body, sink);
            return reader.finish();
        });
    }

    /** Makes sure that it does not matter where a stream is cut into pieces. */
    void check_splits(std::string_view body) const
    {
        std::minstd_rand random{7};
        const std::string whole = read(body).log();
        BOOST_TEST(read(body, {.next_size = [] { return std::size_t{1}; }}).log() == whole);
        for (int i = 0; i < 50; ++i)
            BOOST_TEST(read(body, {.next_size = [&] { return 1 + random() % 90; }}).log() == whole);
    }

    /** Makes sure that a stream that ends after any byte is whole, or a part that can do no harm. */
    void check_cuts(std::string_view body) const
    {
        const outcome whole = read(body);
        for (std::size_t size = 0; size < body.size(); ++size) {
            BOOST_TEST_CONTEXT("cut after byte " << size) {
                check_cut(whole, body.substr(0, size), {});
                check_cut(whole, body.substr(0, size), weft::error{weft::errc::connection_lost});
            }
        }
    }

private:
    template <class Read>
    [[nodiscard]] outcome observe(const reading& how, Read read) const
    {
        outcome result;
        const auto reader = make_(how);
        try {
            result.reply = read(*reader, result.sink);
        } catch (const weft::model_error& e) {
            result.failure = e;
        }
        return result;
    }

    void check_cut(const outcome& whole, std::string_view body, const std::optional<weft::error>& failure) const
    {
        reading how;
        how.transport_failure = failure;
        const outcome o = read(body, how);
        BOOST_TEST(whole.sink.text.starts_with(o.sink.text));
        BOOST_REQUIRE(o.reply.has_value() != o.failure.has_value());
        if (o.reply && whole.reply) {
            BOOST_TEST((o.reply->message == whole.reply->message));
        } else if (o.reply) {
            BOOST_TEST(o.reply->message.tool_calls.empty());  // what made it fail comes after its end
        } else {
            BOOST_TEST(o.failure->partial().message.tool_calls.empty());
            BOOST_TEST((o.failure->partial().stop == weft::stop_reason::unfinished));
            BOOST_TEST(o.failure->partial().message.text() == o.sink.text);
            const weft::errc ending = failure ? failure->code() : weft::errc::response_truncated;
            const bool is_cut = o.failure->code() == ending;
            BOOST_TEST((is_cut || (whole.failure && o.failure->code() == whole.failure->code())));
        }
    }

    Make make_;
};
