#pragma once

#include <weft/async/signal.hpp>
#include <weft/chat/usage.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_sink.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

/** Keeps the deltas of a reply back until it is opened, then hands them and all further ones on.
 *
 *  When it holds `bytes_max` it is full, and the model is read no further. */
class holding_sink final : public chat_sink {
public:
    holding_sink(chat_sink& target, std::size_t bytes_max) noexcept : target_{target}, bytes_max_{bytes_max} {}

    void open();

    void on_started(std::string_view id, std::string_view model) override;
    void on_text(std::string_view piece) override { take(kind::text, piece); }
    void on_reasoning(std::string_view piece) override { take(kind::reasoning, piece); }
    void on_refusal(std::string_view piece) override { take(kind::refusal, piece); }
    void on_tool_call(std::size_t slot, std::string_view id, std::string_view name) override;
    void on_tool_arguments(std::size_t slot, std::string_view piece) override;
    void on_usage(const usage& so_far) override;
    void on_retracted() override;
    [[nodiscard]] bool is_full() const noexcept override;
    [[nodiscard]] task<> wait_for_room() override;

private:
    enum class kind : std::uint8_t { started, text, reasoning, refusal, tool_call, tool_arguments };
    struct delta {
        kind what;
        std::size_t slot;
        std::string first;
        std::string second;
    };
    void take(kind what, std::string_view first, std::string_view second = {}, std::size_t slot = 0);
    void tell(kind what, std::string_view first, std::string_view second, std::size_t slot);
    static task<> wait_until_open(holding_sink& self);

    chat_sink& target_;
    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    bool is_open_ = false;
    std::vector<delta> held_;
    std::optional<usage> used_;
    signal opened_;
};

/** A part of a reply's text that is to be checked before anybody sees it. */
struct reply_piece {
    reply_piece() {}
    std::string text;
    std::string before;       ///< The end of what came before.
    std::uint64_t round = 0;  ///< Counts how often the model began anew.
};

/** Decides which piece of a text that is being written is checked next: as many bytes as a piece has, up to the last
 *  blank among them, never within a character; at the end whatever is left. */
class piece_cutter {
public:
    /** @param bytes   At which a piece is cut; at least 1. */
    piece_cutter(std::size_t bytes, std::size_t before_max) noexcept : bytes_{bytes}, before_max_{before_max} {}

    void add(std::string_view text) { waiting_.append(text); }
    void end() noexcept { has_ended_ = true; }
    void begin_anew();
    /** The next piece; nothing if there is not enough of it yet. */
    [[nodiscard]] std::optional<reply_piece> next();

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }
    /** Whether everything was given out and nothing more comes. */
    [[nodiscard]] bool is_done() const noexcept { return has_ended_ && waiting_.empty(); }
    [[nodiscard]] std::uint64_t round() const noexcept { return round_; }

private:
    std::size_t bytes_;
    std::size_t before_max_;
    std::string waiting_;
    std::string before_;
    bool has_ended_ = false;
    std::uint64_t round_ = 0;
};

/** Tells a sink of a reply that is whole. @param said   The text that it has been told already. */
void tell_whole(const chat_reply& reply, std::string_view said, chat_sink& sink);

}  // namespace weft::agent_detail
