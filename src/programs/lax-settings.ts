/** Names settings that suit a first try, but not a service that strangers can reach. */
import type { Config } from '../config.ts';

export function findLaxSettings(config: Config): readonly string[] {
  const { passwordLengthMin, registration, directory, metrics, metricsToken, host, tlsCertFile } = config;
  const isOpen = !/^(localhost|127\.|::1$)/.test(host);
  return [
    // NIST SP 800-63B asks for 15 characters where the password is the only factor; 12 characters are usual.
    passwordLengthMin < 12 && `PASSWORD_MIN_LENGTH=${passwordLengthMin} allows weak passwords; set it to 15`,
    registration === 'open' && 'REGISTRATION=open lets everybody create an account; set it to closed',
    directory === 'open' && 'DIRECTORY=open shows all email addresses to every user; set it to closed',
    isOpen && tlsCertFile === undefined &&
      `HOST=${host} accepts passwords without encryption; set HOST to 127.0.0.1, or set TLS_CERT_FILE`,
    isOpen && metrics === 'on' && metricsToken === undefined &&
      'METRICS=on shows the metrics to other machines; set METRICS_TOKEN',
  ].flatMap((sentence) => sentence === false ? [] : [`Too lax for production: ${sentence}`]);
}
