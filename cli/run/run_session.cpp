#include "run_session.hpp"

#include "graph/run_input.hpp"
#include "run_view.hpp"

#include <weft/async/async_start.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <string_view>
#include <utility>

namespace weft_cli {

namespace {

/** Events as lines of JSON, to a file and to standard output. Each line is there at once: a program that is ended
 *  leaves what it has done. */
class event_lines {
public:
    explicit event_lines(const session_options& options)
        : goes_to_output_{options.showing == run_showing::events}, path_{options.log}
    {
        if (path_.empty()) return;
        file_.open(path_, std::ios::binary | std::ios::trunc);
        if (!file_) throw usage_error{"--log " + path_ + ": the file cannot be written"};
    }

    [[nodiscard]] bool are_wanted() const { return goes_to_output_ || !path_.empty(); }

    void write(const boost::json::object& line)
    {
        const std::string text = weft::to_json_text(line) + "\n";
        if (goes_to_output_) std::cout << text << std::flush;
        if (!path_.empty()) file_ << text << std::flush;
    }

    /** Tells if a part of the log is missing. */
    void check() const
    {
        if (!path_.empty() && !file_)
            std::cerr << "weft run: the log is not whole: " << console::harmless_line(path_)
                      << " could not be written to its end\n";
    }

private:
    bool goes_to_output_;
    std::string path_;
    std::ofstream file_;
};

class session {
public:
    session(std::string graph, const session_options& options)
        : graph_{std::move(graph)}, lines_{options}, is_live_{options.showing == run_showing::live}, view_{screen_},
          cursor_{is_live_ && screen_.is_terminal()}
    {
        if (options.person) options.person->on_turn([this](bool begins) { step_aside(begins); });
    }

    ended_run run(const run_starter& start, const std::function<void(ended_run&)>& tell_end)
    {
        signals_.async_wait([this](boost::system::error_code failed, int number) {
            if (!failed) interrupt(number);
        });
        redraw_later();
        const auto ended = [this](std::exception_ptr error, weft::run_result result) {
            error_ = std::move(error);
            ended_.result = std::move(result);
            has_ended_ = true;
            io_.stop();  // signals, pictures and kept connections hold nothing up
        };
        weft::async_start(weft::serial_loop::of(io_), start([this](const weft::run_event& event) { take(event); }),
                          boost::asio::bind_cancellation_slot(stop_.slot(), ended));
        io_.run();
        if (error_ && ended_.signal != 0 && weft::code_of(error_) == weft::errc::cancelled) {
            error_ = nullptr;
            ended_.result.status = weft::run_status::cancelled;
        }
        finish(tell_end);
        if (error_) std::rethrow_exception(error_);
        return std::move(ended_);
    }

private:
    void interrupt(int number)
    {
        ended_.signal = number;
        stop_.emit(boost::asio::cancellation_type::terminal);
        signals_.clear();  // a second one does what it always does
        cursor_.show();
    }

    void take(const weft::run_event& event)
    {
        const visit_progress* const visit = progress_.take(event);
        if (lines_.are_wanted()) {
            if (!std::exchange(has_begun_, true)) begin();
            lines_.write(to_json(event, progress_.began()));
        }
        if (!is_live_) return;
        const std::string text = view_.tell(event, visit, progress_);
        if (!text.empty()) console::screen::write(text);
    }

    void begin()
    {
        weft::run_log_header header;
        header.graph = graph_;
        header.at = weft::to_utc_text(weft::clock_of(io_).system_now());
        lines_.write(to_json(header));
    }

    // Ten pictures a second, whatever happens in between: pieces of text come faster than anybody can read.
    void redraw_later()
    {
        if (!is_live_ || !screen_.is_terminal()) return;
        redraw_.expires_after(std::chrono::milliseconds{100});
        redraw_.async_wait([this](boost::system::error_code failed) {
            if (failed || has_ended_) return;
            if (!is_aside_) draw(ended_.signal == 0 ? "Ctrl-C stops" : "stopping; Ctrl-C ends at once");
            redraw_later();
        });
    }

    /** A question stands on the terminal: until it is answered nothing is drawn over it. */
    void step_aside(bool begins)
    {
        is_aside_ = begins;
        if (!begins || !is_live_ || !screen_.is_terminal()) return;
        draw("");
        console::screen::write(view_.end(extent()));
        cursor_.show();
    }

    void draw(std::string_view hint)
    {
        console::screen::write(view_.draw(progress_, weft::clock_of(io_).now(), hint, extent()));
    }

    [[nodiscard]] live_area::extent extent() const
    {
        const auto [columns, rows] = screen_.size();
        return {columns, rows};
    }

    void finish(const std::function<void(ended_run&)>& tell_end)
    {
        if (is_live_ && screen_.is_terminal()) {
            draw("");
            console::screen::write(view_.end(extent()));
        }
        cursor_.show();
        ended_.spent = progress_.spent();
        if (is_live_ && ended_.result.status == weft::run_status::cancelled) tell_what_was_cut_short();
        if (error_) return;
        if (tell_end) tell_end(ended_);
        if (lines_.are_wanted()) lines_.write(result_json(ended_));
        lines_.check();
    }

    void tell_what_was_cut_short() const
    {
        for (const visit_progress& visit : progress_.stopped()) {
            std::string text = "Cut short: " + console::harmless_line(visit.title()) + ", after " +
                               time_text(visit.until - visit.since);
            const std::string tail = console::harmless_line(visit.tail);
            if (!tail.empty()) text.append("; it had come to: ").append(console::last_columns(tail, 200));
            screen_.write_wrapped(text);
        }
    }

    boost::asio::io_context io_{1};
    boost::asio::signal_set signals_{io_, SIGINT, SIGTERM};
    boost::asio::steady_timer redraw_{io_};
    boost::asio::cancellation_signal stop_;
    std::string graph_;
    event_lines lines_;
    bool is_live_;
    bool has_begun_ = false;
    bool has_ended_ = false;
    bool is_aside_ = false;
    console::screen screen_;
    run_progress progress_;
    run_view view_;
    console::hidden_cursor cursor_;
    std::exception_ptr error_;
    ended_run ended_;
};

}  // namespace

ended_run run_and_show(const std::string& graph, const run_starter& start, const session_options& options,
                       const std::function<void(ended_run&)>& tell_end)
{
    session running{graph, options};
    return running.run(start, tell_end);
}

}  // namespace weft_cli
