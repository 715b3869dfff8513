import FuzzSupport
import WaypostTestKit

@main
enum FuzzAnswers {
    static func main() {
        Fuzzer.run { AnswerContract.violations(answering: $0) + AnswerContract.violations(confirming: $0) }
    }
}
